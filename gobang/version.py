"""The version of the installed package."""

from __future__ import annotations


def installed_version() -> str:
    """E.g. "0.1.0"; "unknown" when run from a source tree that is not installed."""
    from importlib import metadata  # takes longer to load than all that a command needs to explain itself

    try:
        return metadata.version("gobang")
    except metadata.PackageNotFoundError:
        return "unknown"
