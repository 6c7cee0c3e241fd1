"""Kernels on the stones alone: who wins with a stone, which points may be played, keys.

A board is `cells`, int8 [A]: EMPTY or player + 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import DIRECTIONS, Geometry
from gobang.rules.renju import clear_forbidden
from gobang.rules.rule import has_forbidden_points, may_play, row_wins
from gobang.types import EMPTY, UNDECIDED


@kernel
def is_win(geometry: Geometry, cells: NDArray[np.int8], point: int) -> bool:
    """Whether the stone on `point` completes a row that wins under the variant's rule."""
    player = int(cells[point]) - 1
    for down, right in DIRECTIONS:
        behind = _stones_from(geometry, cells, point, -down, -right)
        ahead = _stones_from(geometry, cells, point, down, right)
        length = behind + 1 + ahead
        if length < geometry.k:
            continue
        before, after = -behind - 1, ahead + 1
        is_enclosed = _is_held(geometry, cells, point, before * down, before * right) and _is_held(
            geometry, cells, point, after * down, after * right
        )
        if row_wins(geometry, player, length, is_enclosed):
            return True
    return False


@inlined
def _stones_from(geometry: Geometry, cells: NDArray[np.int8], point: int, down: int, right: int) -> int:
    """Number of stones like the one on `point` that follow it without a gap."""
    height, width, count = geometry.height, geometry.width, 0
    row, column = point // width + down, point % width + right
    while 0 <= row < height and 0 <= column < width and cells[row * width + column] == cells[point]:
        count += 1
        row += down
        column += right
    return count


@inlined
def _is_held(geometry: Geometry, cells: NDArray[np.int8], point: int, down: int, right: int) -> bool:
    """Whether there is a stone so many rows and columns away from a point."""
    row, column = point // geometry.width + down, point % geometry.width + right
    if not (0 <= row < geometry.height and 0 <= column < geometry.width):
        return False
    return bool(cells[row * geometry.width + column] != EMPTY)


@kernel
def has_legal_move(geometry: Geometry, cells: NDArray[np.int8], to_move: int) -> bool:
    """Whether the side to move has any point to play; stops at the first."""
    for point in range(len(cells)):
        if cells[point] != EMPTY:
            continue
        if may_play(geometry, cells, point, to_move):
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
    if has_forbidden_points(geometry, to_move):
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
