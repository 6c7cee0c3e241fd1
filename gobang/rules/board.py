"""Kernels on the stones alone: who wins with a stone, which points may be played, keys.

A board is `cells`, int8 [A]: EMPTY or player + 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import kernel
from gobang.rules.geometry import FREESTYLE, RENJU, Geometry
from gobang.rules.renju import ALLOWED, clear_forbidden, forbidden
from gobang.types import EMPTY, UNDECIDED


@kernel
def is_win(geometry: Geometry, cells: NDArray[np.int8], point: int) -> bool:
    """Whether the stone on `point` completes a row that wins under the variant's rule."""
    stone = cells[point]
    exact = geometry.rule != FREESTYLE and (geometry.rule != RENJU or stone == 1)
    height, width, k = geometry.height, geometry.width, geometry.k
    row, column = point // width, point % width
    for direction in range(4):
        down = 0 if direction == 0 else 1
        right = 1 if direction != 1 else 0
        if direction == 3:
            right = -1
        length = 1
        r, c = row + down, column + right
        while 0 <= r < height and 0 <= c < width and cells[r * width + c] == stone:
            length += 1
            r += down
            c += right
        r, c = row - down, column - right
        while 0 <= r < height and 0 <= c < width and cells[r * width + c] == stone:
            length += 1
            r -= down
            c -= right
        if length == k or (length > k and not exact):
            return True
    return False


@kernel
def has_legal_move(geometry: Geometry, cells: NDArray[np.int8], to_move: int) -> bool:
    """Whether the side to move has any point to play; stops at the first."""
    for point in range(len(cells)):
        if cells[point] != EMPTY:
            continue
        if geometry.rule != RENJU or to_move != 0 or forbidden(geometry, cells, point) == ALLOWED:
            return True
    return False


@kernel
def outcome_after(geometry: Geometry, cells: NDArray[np.int8], point: int, to_move: int) -> int:
    """Outcome once the stone on `point` has been placed and `to_move` is next.

    A side that has no legal move left, because the board is full or all that is left is forbidden,
    ends the game in a draw.
    """
    if is_win(geometry, cells, point):
        return int(cells[point]) - 1
    if not has_legal_move(geometry, cells, to_move):
        return geometry.players
    return UNDECIDED


@kernel
def legal_moves(geometry: Geometry, cells: NDArray[np.int8], to_move: int, legal: NDArray[np.bool_]) -> int:
    """Fill `legal` [A] for the side to move and return how many points it has."""
    for point in range(len(cells)):
        legal[point] = cells[point] == EMPTY
    if geometry.rule == RENJU and to_move == 0:
        clear_forbidden(geometry, cells, legal)
    count = 0
    for point in range(len(legal)):
        count += legal[point]
    return count


@kernel
def position_key(geometry: Geometry, cells: NDArray[np.int8], to_move: int) -> np.uint64:
    """Zobrist key of the stones and the side to move."""
    key: np.uint64 = geometry.turn_key[to_move]
    for point in range(len(cells)):
        if cells[point] != EMPTY:
            key ^= geometry.stone_key[cells[point] - 1, point]
    return key
