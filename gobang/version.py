"""The distribution that brings the four packages: its name on package indexes, and its version.

pyproject.toml reads the version from this file.  The name differs from the import name `gobang`,
because another project owns that name on the public index.
"""

from __future__ import annotations

from typing import Final

DISTRIBUTION: Final = "gobang-zero"
VERSION: Final = "0.1.0"


def requirement(extra: str = "") -> str:
    """Return what to give to pip, e.g. "gobang-zero[train]"."""
    return f"{DISTRIBUTION}[{extra}]" if extra else DISTRIBUTION
