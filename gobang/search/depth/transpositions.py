"""The transposition table of the search by depth: results for positions that come up again by other moves.

One row of two numbers a position, at the place its key says: the key, and packed into one number
the value, the depth to which it was searched, what the value is (exact or a bound), the best move,
and the search that wrote it.  A row of an earlier search counts as empty, so that nothing has to be
cleared between searches and equal searches find equal moves.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined
from gobang.types import NO_MOVE

UNKNOWN: Final = 0
EXACT: Final = 1
AT_LEAST: Final = 2
AT_MOST: Final = 3

_VALUE_OFFSET: Final = 1 << 19  # makes values positive, of 20 bits
_MOVE_BITS: Final = 10  # of a point + 1, so that NO_MOVE is 0
_DEPTH_BITS: Final = 7
_BOUND_BITS: Final = 2
_SEARCH_BITS: Final = 24
SEARCHES: Final = 1 << _SEARCH_BITS  # searches are numbered from 1 to below this


def transposition_table(rows: int) -> NDArray[np.int64]:
    """[rows, 2] An empty table; rows is a power of two."""
    return np.zeros((rows, 2), np.int64)


@inlined
def look_up(table: NDArray[np.int64], key: np.uint64, search: int) -> tuple[int, int, int, int]:
    """(bound, value, depth, move) of a position; UNKNOWN and NO_MOVE if there is nothing."""
    row = np.int64(key & np.uint64(len(table) - 1))
    packed = table[row, 1]
    if table[row, 0] != np.int64(key) or packed % SEARCHES != search:
        return UNKNOWN, 0, 0, NO_MOVE
    packed >>= _SEARCH_BITS
    bound = packed & (1 << _BOUND_BITS) - 1
    packed >>= _BOUND_BITS
    depth = packed & (1 << _DEPTH_BITS) - 1
    packed >>= _DEPTH_BITS
    move = (packed & (1 << _MOVE_BITS) - 1) - 1
    return bound, (packed >> _MOVE_BITS) - _VALUE_OFFSET, depth, move


@inlined
def remember(
    table: NDArray[np.int64], key: np.uint64, search: int, bound: int, value: int, depth: int, move: int
) -> None:
    """Write a position's row, whatever stood there."""
    row = np.int64(key & np.uint64(len(table) - 1))
    packed = value + _VALUE_OFFSET
    packed = packed << _MOVE_BITS | (move + 1)
    packed = packed << _DEPTH_BITS | depth
    packed = packed << _BOUND_BITS | bound
    table[row, 0] = np.int64(key)
    table[row, 1] = packed << _SEARCH_BITS | search
