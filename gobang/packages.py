"""Checks of the installation: which extra brings a missing package, and whether the four packages are this project's.

`actors`, `learner` and `evaluator` are names that others use, too.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from gobang.errors import GobangError
from gobang.version import DISTRIBUTION, requirement

_OURS: Final = ("gobang", "actors", "learner", "evaluator")
_HOME: Final = Path(__file__).parents[1]  # where all four lie


class NotInstalled(GobangError):
    """A package is missing, or another one has its name; the message says what to do."""


def check_ours(module: str) -> None:
    """Raise NotInstalled if another project's package answers to the name of one that a module of ours may load.

    `gobang` loads none of the others, and may have been copied to where they are not.
    """
    for name in () if module.startswith("gobang.") else _OURS:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise NotInstalled(f"the package {name!r} is not whole: install {DISTRIBUTION} again")
        place = Path(spec.origin).parent
        if not place.parent.samefile(_HOME) or not _is_ours(Path(spec.origin)):
            raise NotInstalled(
                f"the package {name!r} in {place} is another project's:"
                f" install {DISTRIBUTION} into an environment of its own, and run it from another folder"
            )


def named(error: ModuleNotFoundError, extra: str) -> NotInstalled | None:
    """Return what to install for a missing package; None for a module of ours or of Python, which is a mistake."""
    package = (error.name or "").partition(".")[0]
    if not package or package in _OURS or package in sys.stdlib_module_names:
        return None
    return NotInstalled(f"this needs {package}, which is not installed: pip install '{requirement(extra)}'")


def _is_ours(marker: Path) -> bool:
    """Return True if an __init__.py names gobang; another project may have overwritten the file."""
    return "gobang" in marker.read_text(encoding="utf8", errors="replace").lower()
