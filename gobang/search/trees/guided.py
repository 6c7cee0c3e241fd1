"""Heuristic Monte Carlo search (HMCTS): equally many guided games behind each urgent point, and no tree.

The points are the most urgent ones by line patterns.  In a game both sides complete a row if they
can, else block one, else make what wins next, else deny it; otherwise they play anywhere.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.rules.position import Position
from gobang.rules.rule import may_play
from gobang.search.threats.patterns import (
    Patterns,
    add_stone,
    pattern_board,
    remove_stone,
    urgencies,
    wins_next,
    wins_now,
)
from gobang.search.trees.playout import random_below
from gobang.types import EMPTY, NO_MOVE, Variant

_GAMES: Final = 4  # behind each point between two looks at the clock

# Ranks of a point in a guided game.
_ANY: Final = 0
_DENIES: Final = 1
_MAKES: Final = 2
_BLOCKS: Final = 3
_WINS: Final = 4


class GuidedSearch:
    """A search of one position after the other.

    search.begin(position, games)
    while search.step():           # some games more
        ...                        # look at the clock
    search.move
    """

    def __init__(self, variant: Variant, *, width: int, seed: int) -> None:
        self._variant = variant
        self._width = width
        self._seed = np.uint64((2 * seed + 1) % 2**32)
        self._random: NDArray[np.uint64] = np.ones(1, np.uint64)
        self._played: NDArray[np.int16] = np.zeros(variant.points, np.int16)
        self._set(Position(variant), 0)

    def begin(self, position: Position, games: int) -> None:
        """Set the position, and how many games there are to be in all."""
        self._set(position, games)

    def step(self) -> bool:
        """Play some games behind each point; False when all are played."""
        for index, point in enumerate(self._points):
            self._scores[index] += play_guided(
                geometry(self._variant),
                self._patterns,
                self._played,
                self._random,
                int(point),
                self._to_move,
                _GAMES,
            )
        self._left -= _GAMES * len(self._points)
        return self._left > 0

    @property
    def move(self) -> int:
        """The point that has scored most; the most urgent of several."""
        return int(self._points[np.argmax(self._scores)])

    def _set(self, position: Position, games: int) -> None:
        self._patterns = pattern_board(self._variant, position.cells)
        self._to_move = position.to_move
        # Random numbers follow from seed and position, not from what was searched before.
        self._random[0] = (np.uint64(position.key) ^ (self._seed << np.uint64(32))) | np.uint64(1)
        found = np.zeros(self._variant.points, np.int64)
        urgencies(self._patterns, position.to_move, found)
        found[~position.legal()] = -1
        order = np.argsort(-found, kind="stable")
        self._points = order[: min(self._width, max(1, np.count_nonzero(found >= 0)))]
        self._scores = np.zeros(len(self._points))
        self._left = games


@kernel
def play_guided(
    geometry: Geometry,
    patterns: Patterns,
    played: NDArray[np.int16],
    random: NDArray[np.uint64],
    first: int,
    player: int,
    games: int,
) -> float:
    """What a player scores in so many games that begin with a move of his: 1 for a win, 0 for a draw, -1 for a loss."""
    score = 0.0
    wins = wins_now(patterns.profiles[player, first])
    add_stone(patterns, first, player)
    for _ in range(games):
        score += 1.0 if wins else _play_one(geometry, patterns, played, random, 1 - player, player)
    remove_stone(patterns, first)
    return score


@inlined
def _play_one(
    geometry: Geometry,
    patterns: Patterns,
    played: NDArray[np.int16],
    random: NDArray[np.uint64],
    to_move: int,
    player: int,
) -> float:
    """The player's score in one game, whose stones are taken back."""
    count, mover, score = 0, to_move, 0.0
    while True:
        point, rank = _choose(geometry, patterns, random, mover)
        if point == NO_MOVE:
            break
        if rank == _WINS:
            score = 1.0 if mover == player else -1.0
            break
        add_stone(patterns, point, mover)
        played[count] = point
        count += 1
        mover = 1 - mover
    for index in range(count - 1, -1, -1):
        remove_stone(patterns, played[index])
    return score


@inlined
def _choose(geometry: Geometry, patterns: Patterns, random: NDArray[np.uint64], mover: int) -> tuple[int, int]:
    """(a legal point of the highest rank, drawn among equals, or NO_MOVE; its rank)."""
    best, best_rank, equals = NO_MOVE, _ANY, 0
    for point in range(len(patterns.cells)):
        if patterns.cells[point] != EMPTY:
            continue
        rank = _rank(patterns.profiles[mover, point], patterns.profiles[1 - mover, point])
        if rank < best_rank or not may_play(geometry, patterns.cells, point, mover):
            continue
        equals = equals + 1 if rank == best_rank else 1
        if random_below(random, equals) == 0:
            best = point
        best_rank = rank
    return best, best_rank


@inlined
def _rank(mine: int, theirs: int) -> int:
    if wins_now(mine):
        return _WINS
    if wins_now(theirs):
        return _BLOCKS
    if wins_next(mine):
        return _MAKES
    return _DENIES if wins_next(theirs) else _ANY
