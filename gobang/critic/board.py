"""A board of two players whose patterns are kept up to date stone by stone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.critic.patterns import PATTERNS, LinePatterns, count_line, line_patterns
from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.types import EMPTY, Variant


class PatternBoard(NamedTuple):
    """Stones, and how often each pattern occurs; L lines."""

    cells: NDArray[np.int8]  # [A] EMPTY or player + 1
    words: NDArray[np.uint32]  # [2, L] the stones of a player on each line
    counts: NDArray[np.int16]  # [2, PATTERNS] on all lines, by player
    changes: NDArray[np.int16]  # [2, PATTERNS] what the last stone that was tried would change in them


def board_of(variant: Variant, cells: NDArray[np.int8]) -> PatternBoard:
    """A board with the stones of `cells` [A]."""
    board = PatternBoard(
        cells=np.zeros(variant.points, np.int8),
        words=np.zeros((2, len(geometry(variant).mask)), np.uint32),
        counts=np.zeros((2, PATTERNS), np.int16),
        changes=np.zeros((2, PATTERNS), np.int16),
    )
    put_stones(geometry(variant), line_patterns(variant), board, cells)
    return board


@kernel
def put_stones(geometry: Geometry, tables: LinePatterns, board: PatternBoard, cells: NDArray[np.int8]) -> None:
    """Make a board one with the stones of `cells` [A] and no others."""
    board.cells[:] = EMPTY
    board.words[:] = np.uint32(0)
    board.counts[:] = 0
    for point in range(len(cells)):
        if cells[point] != EMPTY:
            put_stone(geometry, tables, board, point, int(cells[point]) - 1)


@kernel
def put_stone(geometry: Geometry, tables: LinePatterns, board: PatternBoard, point: int, player: int) -> None:
    """Occupy an empty point."""
    try_stone(geometry, tables, board, point, player)
    for side in range(2):
        for pattern in range(board.counts.shape[1]):
            board.counts[side, pattern] += board.changes[side, pattern]
    board.cells[point] = player + 1
    for direction in range(4):
        flag = np.uint32(1) << np.uint32(geometry.bit[point, direction])
        board.words[player, geometry.line[point, direction]] |= flag


@kernel
def try_stone(geometry: Geometry, tables: LinePatterns, board: PatternBoard, point: int, player: int) -> None:
    """Fill `changes` with what a stone on an empty point would change, and leave the point empty."""
    board.changes[:] = 0
    mine, theirs = board.changes[player], board.changes[1 - player]
    for direction in range(4):
        line = geometry.line[point, direction]
        mask = geometry.mask[line]
        if mask == 0:  # the spare line
            continue
        flag = np.uint32(1) << np.uint32(geometry.bit[point, direction])
        own, other = board.words[player, line], board.words[1 - player, line]
        count_line(tables, player, own, mask & ~other, -1, mine)
        count_line(tables, player, own | flag, mask & ~other, 1, mine)
        count_line(tables, 1 - player, other, mask & ~own, -1, theirs)
        count_line(tables, 1 - player, other, mask & ~(own | flag), 1, theirs)
