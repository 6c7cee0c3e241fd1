"""Players whose moves are known in advance."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import numpy as np

from gobang.errors import PlayerFailure
from gobang.players.player import Turn
from gobang.types import Variant


class FirstPoint:
    """Plays the first legal point, and remembers what it was asked."""

    name = "first"

    def __init__(self, games_at_once: int = sys.maxsize) -> None:
        self.games_at_once = games_at_once
        self.asked: list[list[int]] = []  # the games of each call
        self.is_closed = False

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        self.asked.append([turn.game for turn in turns])
        return [int(turn.position.legal().argmax()) for turn in turns]

    def close(self) -> None:
        self.is_closed = True


class LastPoint(FirstPoint):
    """Plays the last legal point."""

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        return [int(np.flatnonzero(turn.position.legal())[-1]) for turn in turns]


class Failing(FirstPoint):
    """Cannot move in the game with the given number."""

    def __init__(self, game: int, games_at_once: int = sys.maxsize) -> None:
        super().__init__(games_at_once)
        self.game = game

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        if any(turn.game == self.game for turn in turns):
            raise PlayerFailure("no answer within 5 s")
        return super().choose(turns)


class Dice(FirstPoint):
    """Plays at random, so that a game depends on the seed and on all that was played before."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._generator = np.random.default_rng(seed)

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        return [int(self._generator.choice(np.flatnonzero(turn.position.legal()))) for turn in turns]


def make_dice(variant: Variant, seed: int) -> Dice:
    return Dice(seed)


def make_nothing(variant: Variant, seed: int) -> Dice:
    raise PlayerFailure("no such engine: nothing")


def die(variant: Variant, seed: int) -> Dice:
    os._exit(7)
