"""Annotates a game by search: the chances after every move, and the moves that changed them most.

A move matters when it cost its player much of what the search expected before, or when the search
would hardly have considered it.  The value of the move that the search prefers is found by searching
once more, after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.judging.gate import ContestGame
from gobang.interfaces import Evaluator
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import IN_HALVES, Search
from gobang.types import UNDECIDED, GameRecord, Variant

_TOGETHER: Final = 16  # positions searched in lock step
_MOST_KEY_MOVES: Final = 3
_COSTLY: Final = 0.1  # points that make a move matter
_SURE: Final = 0.6  # share of the visits with which the search prefers another move than one of _HARDLY
_HARDLY: Final = 0.05


class TimeIsUp(Exception):
    """The search was not done in time; nothing of the game is known."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class View:
    """A search's answer for one position of A points, P players."""

    chances: NDArray[np.float64]  # [P + 1] P(black wins), P(white wins), ..., P(draw)
    shares: NDArray[np.float64]  # [A] of the visits by move; zero once the game is over
    proven: bool  # the outcome is certain

    @property
    def preferred(self) -> int:
        """The point that the search would play."""
        return int(np.argmax(self.shares))

    def points(self, player: int) -> float:
        """Expected points of the player: 1 for a win, an even share for a draw."""
        return float(self.chances[player] + self.chances[-1] / self.players)

    @property
    def players(self) -> int:
        """Of the game."""
        return len(self.chances) - 1


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class KeyMove:
    """A move that mattered, e.g. `KeyMove(ply=17, played=27, before=view, ...)`."""

    ply: int  # moves before it
    played: int  # point
    before: View
    after: View
    after_preferred: View  # of the position after the move that the search prefers

    @property
    def player(self) -> int:
        """Whose move it was."""
        return self.ply % self.before.players


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AnnotatedGame:
    """A game of T moves with its views."""

    game: ContestGame
    views: tuple[View, ...]  # T + 1 - opening: of each position from the end of the opening on
    key_moves: tuple[KeyMove, ...]  # in the order of play


class Analyst:
    """Searches positions of one variant, many in lock step."""

    def __init__(
        self,
        variant: Variant,
        evaluator: Evaluator,
        simulations: int,
        on_positions: Callable[[int], bool] = lambda count: True,
    ) -> None:
        """`on_positions` hears how many positions have been searched, and says whether there is time for more."""
        self._variant = variant
        self._on_positions = on_positions
        config = SearchConfig(simulations=simulations)
        self._search = Search(
            variant, config, evaluator, games=_TOGETHER, rng=np.random.default_rng(0), questions=IN_HALVES
        )

    def annotate(self, game: ContestGame) -> AnnotatedGame:
        """The game with its key moves; raises TimeIsUp, and IllegalMove for a game that is none of this variant."""
        record = game.record
        plies = range(record.opening, len(record.moves) + 1)
        views = _carried(record, self._views([Position(self._variant, record.moves[:ply]) for ply in plies]))
        key_plies = _key_plies(record, views)
        befores = [views[ply - record.opening] for ply in key_plies]
        instead = [
            Position(self._variant, (*record.moves[:ply], before.preferred))
            for ply, before in zip(key_plies, befores, strict=True)
        ]
        key_moves = [
            KeyMove(
                ply=ply,
                played=record.moves[ply],
                before=before,
                after=views[ply + 1 - record.opening],
                after_preferred=before if before.proven else view,
            )
            for ply, before, view in zip(key_plies, befores, self._views(instead), strict=True)
        ]
        return AnnotatedGame(game=game, views=tuple(views), key_moves=tuple(key_moves))

    def _views(self, positions: Sequence[Position]) -> list[View]:
        views: dict[int, View] = {
            index: self._decided(position) for index, position in enumerate(positions) if position.outcome != UNDECIDED
        }
        open_ones = [index for index in range(len(positions)) if index not in views]
        for start in range(0, len(open_ones), _TOGETHER):
            chunk = open_ones[start : start + _TOGETHER]
            result = self._search.run([positions[index] for index in chunk])
            for row, index in enumerate(chunk):
                policy = result.policy[row].astype(np.float64)
                views[index] = View(
                    chances=result.chances[row].astype(np.float64),
                    shares=policy / policy.sum(),
                    proven=bool(result.proven[row] != UNDECIDED),
                )
            if not self._on_positions(len(chunk)):
                raise TimeIsUp
        return [views[index] for index in range(len(positions))]

    def _decided(self, position: Position) -> View:
        chances = np.zeros(self._variant.players + 1)
        chances[position.outcome] = 1
        return View(chances=chances, shares=np.zeros(self._variant.points), proven=True)


def _carried(record: GameRecord, views: Sequence[View]) -> list[View]:
    """The views with what was proven before: it holds until its player leaves the proof.

    The solver looks deeper where it is asked first, and would see a won position as an open one a
    move later.
    """
    carried = [views[0]]
    for ply, (played, after) in enumerate(zip(record.moves[record.opening :], views[1:], strict=True), record.opening):
        before = carried[-1]
        is_losing = before.points(ply % before.players) == 0
        if before.proven and not after.proven and (is_losing or played == before.preferred):
            after = replace(after, chances=before.chances, proven=True)
        carried.append(after)
    return carried


def _key_plies(record: GameRecord, views: Sequence[View]) -> list[int]:
    """The plies of the moves that mattered most, in the order of play."""
    weights: dict[int, float] = {}
    for index, (before, after) in enumerate(pairwise(views)):
        ply = record.opening + index
        mover = ply % before.players
        cost = before.points(mover) - after.points(mover)
        is_odd = not before.proven and before.shares[record.moves[ply]] < _HARDLY and before.shares.max() > _SURE
        if cost >= _COSTLY or is_odd:
            weights[ply] = cost
    return sorted(sorted(weights, key=lambda ply: -weights[ply])[:_MOST_KEY_MOVES])
