"""Positions without a game behind them, to calibrate and to measure networks on."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import position_key
from gobang.rules.geometry import geometry
from gobang.types import EMPTY, NO_MOVE, Positions, Variant

_FILLED: Final = 0.7  # share of the board that the longest game fills
_MOST_PLIES: Final = 80
_NEIGHBOURHOOD: Final = 20.0  # how much likelier a point beside a stone is than a lonely one


@lru_cache(maxsize=16)
def sample_positions(variant: Variant, count: int = 128, seed: int = 1) -> Positions:
    """Random play that stays near its stones, each game stopped at another ply; not to be changed.

    Rows are neither avoided nor noticed, so a few positions would be decided in a real game.
    """
    random = np.random.default_rng(seed)
    longest = min(int(_FILLED * variant.points), _MOST_PLIES)
    plies = np.sort((random.random(count) ** 1.5 * (longest + 1)).astype(np.int64))[::-1]  # longest first
    cells = np.zeros((count, variant.points), np.int8)
    last_moves = np.full((count, variant.moves_shown), NO_MOVE, np.int16)
    for ply in range(longest):
        games = np.arange(np.count_nonzero(plies > ply))
        points = _choose(cells[games], variant, random)
        cells[games, points] = ply % variant.players + 1
        last_moves[games, 1:] = last_moves[games, :-1]
        last_moves[games, 0] = points
    to_move = (plies % variant.players).astype(np.int8)
    board = geometry(variant)
    key = [position_key(board, row, player) for row, player in zip(cells, to_move.tolist(), strict=True)]
    return Positions(variant=variant, cells=cells, to_move=to_move, last_moves=last_moves, key=np.array(key, np.uint64))


def _choose(cells: NDArray[np.int8], variant: Variant, random: np.random.Generator) -> NDArray[np.int64]:
    """[B] an empty point of each board."""
    stones = np.pad((cells != EMPTY).reshape(-1, variant.height, variant.width), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(stones, (3, 3), axis=(1, 2))
    beside = windows.any(axis=(3, 4)).reshape(cells.shape)
    chances = random.random(cells.shape) * np.where(beside, _NEIGHBOURHOOD, 1.0)
    points: NDArray[np.int64] = np.where(cells == EMPTY, chances, -1.0).argmax(axis=1)
    return points
