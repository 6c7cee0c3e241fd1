"""The player `exact`: perfect play on boards that are small enough to be solved."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence

import numpy as np

from gobang.errors import PlayerFailure, Unsolved
from gobang.players.options import NoOptions
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.search.proof.exact import DRAWN, ExactSolver
from gobang.types import Variant


class ExactPlayer:
    """Keeps the value of every position.

    Among winning moves it plays the one whose win is proved with the least effort, and when lost the one whose
    refutation takes the most; equal moves are drawn by the seed.
    """

    name = "exact"
    games_at_once = sys.maxsize

    def __init__(self, variant: Variant, seed: int) -> None:
        """Raises Unsolved if the variant is out of reach."""
        self._solver = ExactSolver(variant)
        self._generator = np.random.default_rng(seed)

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """A best move for each turn; raises PlayerFailure if a position cannot be solved."""
        try:
            return [self._choose_one(copy.deepcopy(turn.position)) for turn in turns]
        except Unsolved as error:
            raise PlayerFailure(str(error)) from error

    def close(self) -> None:
        """Hold nothing that others need."""

    def _choose_one(self, position: Position) -> int:
        values = self._solver.move_values(position)
        moves = np.flatnonzero(values == values.max())
        if values.max() != DRAWN:
            efforts = values.max() * np.array([self._effort_after(position, int(move)) for move in moves])
            moves = moves[efforts == efforts.min()]
        return int(self._generator.choice(moves))

    def _effort_after(self, position: Position, point: int) -> int:
        position.play(point)
        effort = self._solver.effort(position)
        position.undo()
        return effort


def make_exact(options: NoOptions, variant: Variant, seed: int) -> ExactPlayer:
    """Make the player `exact`; raises Unsolved for boards that are too large."""
    return ExactPlayer(variant, seed)
