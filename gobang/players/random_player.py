"""The player `random`: any legal move.  The weakest opponent to measure with, and a fast one for tests."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from gobang.players.options import NoOptions
from gobang.players.player import Turn
from gobang.types import Variant


class RandomPlayer:
    """Chooses evenly among the legal points; the same seed and turns give the same moves."""

    name = "random"
    games_at_once = sys.maxsize

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """A random legal point for each turn."""
        return [int(self._generator.choice(np.flatnonzero(turn.position.legal()))) for turn in turns]

    def close(self) -> None:
        """Hold nothing, free nothing."""


def make_random(options: NoOptions, variant: Variant, seed: int) -> RandomPlayer:
    """Make the player `random`; it plays every variant."""
    return RandomPlayer(seed)
