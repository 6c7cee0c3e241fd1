"""The shapes of lines, which `line_net` has learned by heart: how stones stand on the nine points around a point.

A point of a line is empty (0), has an own stone (1) or another's (2), or is off the board (3).  Nine such digits,
that of one end first, are the code of a line, below 4^9 = 262,144.  Most codes cannot occur, since what lies beyond
the rim is off the board too, and a line read backwards is the same shape: 22,143 shapes are left.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidConfig
from gobang.features import ALL_PLAYERS
from gobang.network.spec import NetworkSpec

REACH: Final = 4  # points to either side: as far as a row of five goes
LENGTH: Final = 2 * REACH + 1
OFF_BOARD: Final = 3
DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))  # steps of row and column along the four lines of a point
SHAPES: Final = 22_143
NO_PLANE: Final = -1
_READABLE: Final = ("two", "three", "four", *ALL_PLAYERS)


@lru_cache(maxsize=1)
def shape_of_codes() -> NDArray[np.int16]:
    """[4^9] the shape of each code; that of the empty line for a code that cannot occur.  Not to be changed."""
    codes = np.arange(4**LENGTH, dtype=np.int32)
    digits = [(codes >> 2 * place & 3).astype(np.uint8) for place in range(LENGTH)]
    possible = digits[REACH] != OFF_BOARD
    for inner in range(1, REACH):
        for side in (-1, 1):
            near, far = digits[REACH + side * inner], digits[REACH + side * (inner + 1)]
            possible &= (near != OFF_BOARD) | (far == OFF_BOARD)
    backwards = np.zeros_like(codes)
    for digit in digits:
        backwards = backwards << 2 | digit
    first = np.minimum(codes, backwards)  # of the two codes of a shape
    numbers = np.cumsum(possible & (codes == first), dtype=np.int32) - 1
    return np.where(possible, numbers[first], 0).astype(np.int16)


def stone_planes(spec: NetworkSpec) -> int:
    """How many of the first planes hold stones, own ones first; InvalidConfig for features that begin otherwise."""
    if spec.features not in _READABLE:
        known = ", ".join(_READABLE)
        raise InvalidConfig(f"features {spec.features!r}: line_net reads own stones from the first plane: {known}")
    return spec.players if spec.features in ALL_PLAYERS else 2


def black_plane(spec: NetworkSpec) -> int:
    """The plane that is all ones when black is to move, of two players; NO_PLANE where the features have none."""
    return NO_PLANE if spec.features == "two" or spec.players > 2 else stone_planes(spec)
