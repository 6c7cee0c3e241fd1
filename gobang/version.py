"""The version of the installed package."""

from __future__ import annotations

from importlib import metadata


def installed_version() -> str:
    """E.g. "0.1.0"; "unknown" when run from a source tree that is not installed."""
    try:
        return metadata.version("gobang")
    except metadata.PackageNotFoundError:
        return "unknown"
