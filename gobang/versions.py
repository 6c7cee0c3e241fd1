"""Versions of a run's weights: how they are counted, named and asked for.

The learner numbers what it publishes from 0 upwards; a greater number is newer, and no number comes twice.
"""

from __future__ import annotations

from typing import Final

from gobang.numbers import read_whole

NO_VERSION: Final = -1  # before the first
FIRST_VERSION: Final = 0  # the weights that a run begins with
LATEST: Final = "latest"  # the newest version, wherever a version can be named
BEST: Final = "best"  # the one that the judge has promoted last


def version_name(version: int) -> str:
    """The name of a version in games and ratings, e.g. "v12"."""
    return f"v{version}"


def version_of(name: str) -> int | None:
    """The number of a version's name such as "v12"; None for another player."""
    return read_whole(name[1:], FIRST_VERSION) if name.startswith("v") else None
