"""Solved positions that a player met in games of its own, and whether it kept their value there.

Positions that are drawn at random are not those that good play leads to.  So a player plays against perfect play and
against random moves, from openings of two random plies, each with both colours, and every own turn counts at which the
choice matters; symmetric positions count once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluator.truth.solved import SolvedPosition, choice_matters
from gobang.match import Fixture, PlayedGame
from gobang.openings import random_openings
from gobang.rules.position import Position, symmetry_class
from gobang.search.proof.exact import ExactSolver
from gobang.types import Variant

_PLIES = 2  # of an opening


def fixtures_in_play(variant: Variant, games: int, seed: int) -> list[Fixture]:
    """So many games of contestant 0, with each colour in turn."""
    openings = random_openings(variant, _PLIES, -(-games // 2), seed)
    return [Fixture(opening=opening, seats=seats) for opening in openings for seats in ((0, 1), (1, 0))][:games]


def met_in_play(
    variant: Variant,
    games: Sequence[PlayedGame],
    on_judged: Callable[[int, float], None] = lambda judged, share: None,
) -> tuple[list[SolvedPosition], NDArray[np.bool_]]:
    """The positions that contestant 0 met, and [N] where its move kept the value.

    `on_judged` gets how many games are done, and the share so far.
    """
    solver, seen = ExactSolver(variant), set[bytes]()
    met: list[SolvedPosition] = []
    kept: list[bool] = []
    for number, game in enumerate(games, 1):
        for solved, move in _own_choices(variant, game, solver, seen):
            met.append(solved)
            kept.append(bool(solved.values[move] == solved.value))
        on_judged(number, sum(kept) / max(1, len(kept)))
    return met, np.array(kept, np.bool_)


def _own_choices(
    variant: Variant, game: PlayedGame, solver: ExactSolver, seen: set[bytes]
) -> list[tuple[SolvedPosition, int]]:
    """The turns of contestant 0 that are new, with the move that it chose."""
    seat, choices = game.fixture.seats.index(0), []
    position = Position(variant, game.fixture.opening)
    for move in game.record.moves[len(game.fixture.opening) :]:
        if position.to_move == seat and symmetry_class(position) not in seen:
            seen.add(symmetry_class(position))
            values = solver.move_values(position)
            if choice_matters(values):
                choices.append((SolvedPosition(moves=tuple(position.moves), values=values), int(move)))
        position.play(int(move))
    return choices
