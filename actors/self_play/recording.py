"""A game of self-play in progress, and the record that becomes of it.

Between good players a game on a small board is a draw long before the board is full.  From there on
the game is a tail: its moves get next to no search and are not learned from, but they are played, so
that the result is one of the game and not of an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidConfig
from gobang.openings import near_move
from gobang.rules.position import Position
from gobang.search.trees.search import SearchResult
from gobang.types import UNDECIDED, SelfPlayGame, Variant

NO_SEARCH: Final = -1  # in place of the version of the weights, where a move was drawn at random
_LEAST_SHARE: Final = 1 / 1024  # of a policy; Gumbel's gives every move some, which would store mostly dust


@dataclass(frozen=True, kw_only=True, slots=True)
class TailConfig:
    """Rule for the tail of a game, the rest when it is as good as drawn, e.g. `TailConfig(simulations=2)`."""

    draw: float = 0.95  # P(draw) that the search must expect
    moves: int = 2  # in a row at which it must
    simulations: int = 4  # for each move of a tail
    full_share: float = 0.1  # of the games are searched to their end all the same; 1: no game has a tail

    def __post_init__(self) -> None:
        if not 0 < self.draw <= 1:
            raise InvalidConfig(f"tail draw {self.draw}: above 0, at most 1")
        if self.moves < 1:
            raise InvalidConfig(f"tail moves {self.moves}: at least 1")
        if not 1 <= self.simulations <= 10_000:
            raise InvalidConfig(f"tail simulations {self.simulations}: from 1 to 10000")
        if not 0 <= self.full_share <= 1:
            raise InvalidConfig(f"tail full_share {self.full_share}: from 0 to 1")


class GameInPlay:
    """A position and what each of its plies was played for."""

    def __init__(self, variant: Variant, tail: TailConfig | None = None) -> None:
        """Without `tail` the game never becomes one."""
        self.position = Position(variant)
        self._tail = tail
        self._drawn = 0  # moves in a row that expected a draw
        self._points: list[NDArray[np.int16]] = []  # of the policy of each ply
        self._shares: list[NDArray[np.float32]] = []
        self._searched: list[NDArray[np.float32]] = []
        self._surprise: list[float] = []
        self._versions: list[int] = []

    @property
    def is_over(self) -> bool:
        """Whether the game is decided."""
        return self.position.outcome != UNDECIDED

    @property
    def is_tail(self) -> bool:
        """Whether it is as good as drawn, so that the next move is not worth learning from."""
        return self._tail is not None and self._drawn >= self._tail.moves

    @property
    def is_unsearched(self) -> bool:
        """Whether nothing but its opening was played."""
        return all(version == NO_SEARCH for version in self._versions)

    def play_opening(self, plies: int, random: np.random.Generator, *, near: bool = False) -> None:
        """Play `plies` random moves, on request near each other, fewer if the game would end; they have no policy."""
        for _ in range(plies):
            move = near_move(self.position, random) if near else random.choice(np.flatnonzero(self.position.legal()))
            self.position.play(int(move))
            if self.is_over:
                self.position.undo()
                return
            nothing = np.zeros(self.position.variant.players + 1, np.float32)
            self._note(np.empty(0, np.int16), np.empty(0, np.float32), nothing, 0.0, NO_SEARCH)

    def play(self, result: SearchResult, row: int, version: int) -> None:
        """Play the move that row `row` of a search's result chose with weights of this version."""
        policy = result.policy[row]
        points = np.flatnonzero(policy >= (np.inf if self.is_tail else _LEAST_SHARE)).astype(np.int16)
        shares = policy[points] / policy[points].sum()
        self.position.play(int(result.moves[row]))
        if self._tail is not None:
            self._drawn = self._drawn + 1 if result.chances[row, -1] >= self._tail.draw else 0
        self._note(points, shares, result.chances[row], float(result.surprise[row]), version)

    def finish(self, name: str) -> SelfPlayGame:
        """The record of a decided game."""
        assert self.is_over, "a game in progress has no outcome"
        return SelfPlayGame(
            variant=self.position.variant,
            id=name,
            moves=np.array(self.position.moves, np.int16),
            outcome=self.position.outcome,
            policy_start=np.array([0, *accumulate(map(len, self._points))], np.int32),
            policy_point=np.concatenate(self._points),
            policy_share=np.concatenate(self._shares),
            searched=np.stack(self._searched),
            surprise=np.array(self._surprise, np.float32),
            version=np.array(self._versions, np.int32),
        )

    def _note(
        self,
        points: NDArray[np.int16],
        shares: NDArray[np.float32],
        searched: NDArray[np.float32],
        surprise: float,
        version: int,
    ) -> None:
        self._points.append(points)
        self._shares.append(shares)
        self._searched.append(searched)
        self._surprise.append(surprise)
        self._versions.append(version)
