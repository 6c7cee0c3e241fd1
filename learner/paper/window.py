"""The newest positions, from which each update draws one mini-batch."""

from __future__ import annotations

import numpy as np

from gobang.rules.symmetry import symmetries
from gobang.types import NO_MOVE, Boards, Variant
from learner.replay.window.samples import Samples, game_stage, under_symmetry
from learner.training.training_state import State


class Newest:
    """At most `capacity` positions; the oldest leave first.

    newest.extend(game.samples())
    if len(newest) > batch:
        samples = newest.draw(batch, random)
    """

    def __init__(self, variant: Variant, capacity: int, *, augment: bool) -> None:
        self._variant, self._capacity = variant, capacity
        self._views = len(symmetries(variant.height, variant.width)) if augment else 1
        self._cells = np.zeros((0, variant.points), np.int8)
        self._to_move = np.zeros(0, np.int8)
        self._last_moves = np.zeros((0, variant.moves_shown), np.int16)
        self._policy = np.zeros((0, variant.points), np.float32)
        self._result = np.zeros((0, variant.players + 1), np.float32)

    def __len__(self) -> int:
        return len(self._to_move)

    def extend(self, samples: Samples) -> None:
        """Take in the positions of a game, each in all views of the board."""
        for view in range(self._views):
            self._add(under_symmetry(samples, np.full(len(samples), view, np.int16)))

    def draw(self, count: int, random: np.random.Generator) -> Samples:
        """Return `count` different positions."""
        rows = random.choice(len(self), count, replace=False)
        result = self._result[rows]
        return Samples(
            boards=Boards(
                variant=self._variant,
                cells=self._cells[rows],
                to_move=self._to_move[rows],
                last_moves=self._last_moves[rows],
            ),
            policy=self._policy[rows],
            search_chances=result,
            result_chances=result,
            reply=np.full(count, NO_MOVE, np.int16),
            stage=game_stage(np.zeros(count, np.int64), np.ones(count, np.int64)),
            weights_version=np.zeros(count, np.int32),
            weight=np.ones(count, np.float32),
        )

    def get_state(self) -> State:
        """Return the arrays, for `set_state`."""
        return {
            "cells": self._cells,
            "to_move": self._to_move,
            "last_moves": self._last_moves,
            "policy": self._policy,
            "result": self._result,
        }

    def set_state(self, state: State) -> None:
        """Hold what `get_state` returned."""
        self._cells, self._to_move, self._last_moves = state["cells"], state["to_move"], state["last_moves"]
        self._policy, self._result = state["policy"], state["result"]

    def _add(self, samples: Samples) -> None:
        boards, first = samples.boards, -self._capacity
        self._cells = np.concatenate((self._cells, boards.cells))[first:]
        self._to_move = np.concatenate((self._to_move, boards.to_move))[first:]
        self._last_moves = np.concatenate((self._last_moves, boards.last_moves))[first:]
        self._policy = np.concatenate((self._policy, samples.policy))[first:]
        self._result = np.concatenate((self._result, samples.result_chances))[first:]
