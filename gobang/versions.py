"""Versions of a run's weights: how they are counted, named and asked for.

The learner numbers what it publishes from 0 upwards; a greater number is newer, and no number comes twice.
"""

from __future__ import annotations

import re
from typing import Final

NO_VERSION: Final = -1  # before the first
FIRST_VERSION: Final = 0  # the weights that a run begins with
LATEST: Final = "latest"  # the newest version, wherever a version can be named
BEST: Final = "best"  # the one that the judge has promoted last


def version_name(version: int) -> str:
    """The name of a version in games and ratings, e.g. "v12"."""
    return f"v{version}"


def version_of(name: str) -> int | None:
    """The number of a version's name such as "v12"; None for another player."""
    match = re.fullmatch(r"v(\d+)", name)
    return int(match[1]) if match else None
