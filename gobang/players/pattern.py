"""A player that looks one ply ahead: it takes the point with the most urgent line patterns."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidSpec
from gobang.players.options import NoOptions
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.search.threats.patterns import pattern_board, urgencies
from gobang.types import Variant


class PatternPlayer:
    """Equal positions get equal moves under one seed, which decides among equally urgent points."""

    name = "pattern"
    games_at_once = sys.maxsize

    def __init__(self, variant: Variant, seed: int) -> None:
        self._variant = variant
        self._seed = seed
        self._found: NDArray[np.int64] = np.zeros(variant.points, np.int64)

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The most urgent legal point of each turn."""
        return [self._choose_one(turn.position) for turn in turns]

    def close(self) -> None:
        """Hold nothing, free nothing."""

    def _choose_one(self, position: Position) -> int:
        urgencies(pattern_board(self._variant, position.cells), position.to_move, self._found)
        self._found[~position.legal()] = -1
        best = np.flatnonzero(self._found == self._found.max())
        return int(np.random.default_rng((self._seed, position.key)).choice(best))


def make_pattern(options: NoOptions, variant: Variant, seed: int) -> PatternPlayer:
    """Make the player `pattern`, for two players."""
    if variant.players != 2:
        raise InvalidSpec(f"pattern: it weighs the patterns of two players, not {variant.players}")
    return PatternPlayer(variant, seed)
