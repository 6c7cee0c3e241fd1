"""The player `critic`: after each of its moves it asks a small learned network, and plays the move that ends best."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gobang.critic.board import board_of
from gobang.critic.file import BUILTIN, read_critic
from gobang.critic.network import Critic, value_after_moves
from gobang.critic.patterns import line_patterns
from gobang.errors import InvalidSpec
from gobang.players.options import BUILTIN_CRITIC, CriticOptions
from gobang.players.player import Turn
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant


class CriticPlayer:
    """Equal positions get equal moves under one seed, which decides among moves of equal value."""

    name = "critic"
    games_at_once = sys.maxsize

    def __init__(self, variant: Variant, critic: Critic, options: CriticOptions, seed: int) -> None:
        self._variant = variant
        self._critic = critic
        self._options = options
        self._seed = seed

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The move of the highest value in each turn, or now and then any."""
        return [self._choose_one(turn.position) for turn in turns]

    def values(self, position: Position) -> NDArray[np.float32]:
        """[A] what each move leads to, for the side to move."""
        values = np.zeros(self._variant.points, np.float32)
        board, tables = board_of(self._variant, position.cells), line_patterns(self._variant)
        value_after_moves(geometry(self._variant), tables, self._critic, board, position.to_move, values)
        return values

    def close(self) -> None:
        """Hold nothing, free nothing."""

    def _choose_one(self, position: Position) -> int:
        generator = np.random.default_rng((self._seed, position.key))
        legal = position.legal()
        if generator.random() < self._options.explore:
            return int(generator.choice(np.flatnonzero(legal)))
        values = self.values(position)
        if self._options.depth == 2:
            for point in np.flatnonzero(legal).tolist():
                values[point] = self._value_of_reply(position, point)
        return int(generator.choice(np.flatnonzero(values == values.max())))

    def _value_of_reply(self, position: Position, point: int) -> float:
        """What a move leads to after the best reply, for the side to move."""
        after = position.copy()
        after.play(point)
        if after.outcome == UNDECIDED:
            return 1 - float(self.values(after).max())
        return 0.5 if after.outcome == self._variant.draw else 1.0


def make_critic(options: CriticOptions, variant: Variant, seed: int) -> CriticPlayer:
    """Make the player `critic`, for two players; it plays every board and rule, whatever it was taught on."""
    if variant.players != 2:
        raise InvalidSpec(f"critic: patterns are those of two players, not {variant.players}")
    critic = read_critic(BUILTIN if options.file == BUILTIN_CRITIC else Path(options.file))
    return CriticPlayer(variant, critic, options, seed)
