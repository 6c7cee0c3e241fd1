"""Random mid-game positions in which stones lie near each other, for benchmarks and tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import has_legal_move
from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.rules.rule import may_play
from gobang.search.threats.tactics import FORCED, NOTHING, TacticsWorkspace, solve, tactics_workspace
from gobang.types import EMPTY, NO_MOVE, Variant

_NEAR = 2  # most rows and columns from a random stone to another


def tactical_positions(
    variant: Variant, count: int, rng: np.random.Generator, *, plies: tuple[int, int] | None = None
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """(cells [count, A], to_move [count]): nobody can win in one, or all of whose threats are blockable.

    Random play that answers each threat to win in one, over a number of plies between the two
    given, by default a sixth to a third of the points.
    """
    low, high = plies or (variant.points // 6, variant.points // 3)
    table, workspace = geometry(variant), tactics_workspace(variant, 0)
    cells = np.zeros((count, variant.points), np.int8)
    to_move = np.zeros(count, np.int8)
    made = 0
    while made < count:
        wanted = int(rng.integers(low, high + 1))
        cells[made] = EMPTY
        if _play_quietly(table, workspace, cells[made], rng.random(wanted)):
            to_move[made] = wanted % variant.players
            made += 1
    return cells, to_move


@kernel
def _play_quietly(
    geometry: Geometry, workspace: TacticsWorkspace, cells: NDArray[np.int8], luck: NDArray[np.float64]
) -> bool:
    """Play one ply for each number of `luck`; False if a side could win by force of fives."""
    for ply in range(len(luck) + 1):
        to_move = ply % geometry.players
        if not has_legal_move(geometry, cells, to_move):
            return False
        verdict, point, _ = solve(geometry, workspace, cells, to_move, 0)
        if verdict not in (NOTHING, FORCED):
            return False
        if ply == len(luck):
            break
        if verdict == NOTHING:
            point = random_near_point(geometry, cells, to_move, luck[ply])
        cells[point] = to_move + 1
    return True


@kernel
def random_near_point(geometry: Geometry, cells: NDArray[np.int8], to_move: int, luck: float) -> int:
    """A legal point near a stone, or any if there is none, chosen by a number from 0 to 1; NO_MOVE if none is legal."""
    for distance in (_NEAR, max(geometry.height, geometry.width)):
        count = 0
        for point in range(len(cells)):
            count += _may_hold_stone(geometry, cells, to_move, point, distance)
        wanted = int(luck * count)
        for point in range(len(cells)):
            if _may_hold_stone(geometry, cells, to_move, point, distance):
                if wanted == 0:
                    return point
                wanted -= 1
    return NO_MOVE


@kernel
def _may_hold_stone(geometry: Geometry, cells: NDArray[np.int8], to_move: int, point: int, distance: int) -> bool:
    if cells[point] != EMPTY or not _is_near(geometry, cells, point, distance):
        return False
    return may_play(geometry, cells, point, to_move)


@kernel
def _is_near(geometry: Geometry, cells: NDArray[np.int8], point: int, distance: int) -> bool:
    row, column = point // geometry.width, point % geometry.width
    for r in range(max(row - distance, 0), min(row + distance + 1, geometry.height)):
        for c in range(max(column - distance, 0), min(column + distance + 1, geometry.width)):
            if cells[r * geometry.width + c] != EMPTY:
                return True
    return distance > _NEAR
