"""The matches of an experiment, each tournament in a folder of its own, where it goes on after a kill."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.statistics.tally import Tally, tally
from evaluator.tournaments.folder import TournamentFolder
from evaluator.tournaments.plan import Pairing, Plan, round_robin
from evaluator.tournaments.playing import play
from evaluator.tournaments.standings import Result, Standings, standings
from gobang.match import check_games, openings_for
from gobang.openings import Opening, chosen_openings, has_balanced
from gobang.types import BALANCED, RANDOM, Variant

_OPENING_PLIES: Final = 2
_SEED: Final = 1  # of all matches


@dataclass(frozen=True, kw_only=True, slots=True)
class Ring:
    """How black did after first moves so far from the middle, e.g. `Ring(distance=0, black=Tally(...))`."""

    distance: int
    black: Tally


class Contests:
    """Plays in a folder, with so many processes and so many games of each pair."""

    def __init__(self, folder: Path, *, games: int, jobs: int) -> None:
        self._folder = folder
        self._games = games
        self._jobs = jobs

    def standings(
        self,
        name: str,
        variant: Variant,
        players: Mapping[str, str],  # texts by their names
        pairings: Sequence[Pairing] = (),  # everyone against everyone where there are none
    ) -> Standings:
        """Of a tournament, played to its end."""
        plan = self._plan(variant, tuple(players.values()), tuple(pairings) or round_robin(len(players)))
        return standings(tuple(players), variant, self._results(name, plan).values())

    def first_moves(self, variant: Variant, players: Mapping[str, str]) -> tuple[Ring, ...]:
        """Everyone against everyone with each first move, and how black did by its distance from the middle."""
        openings = tuple((point,) for point in range(variant.points))
        texts = tuple(players.values())
        plan = self._plan(variant, texts, round_robin(len(texts)), openings)
        points: dict[int, list[float]] = {}
        for number, result in self._results("first-moves", plan).items():
            opening = openings[number % plan.games_each // 2]
            points.setdefault(_from_middle(variant, opening[0]), []).append(1 - result.outcome / 2)
        return tuple(Ring(distance=distance, black=tally(points[distance])) for distance in sorted(points))

    def _plan(
        self,
        variant: Variant,
        players: tuple[str, ...],
        pairings: tuple[Pairing, ...],
        openings: tuple[Opening, ...] = (),
    ) -> Plan:
        if not openings:
            check_games(self._games, variant.players)
            kind = BALANCED if has_balanced(variant) else RANDOM
            count = openings_for(self._games, variant.players)
            openings = tuple(chosen_openings(variant, kind, _OPENING_PLIES, count, _SEED))
        return Plan(variant=variant, players=players, pairings=pairings, openings=openings, seed=_SEED)

    def _results(self, name: str, plan: Plan) -> dict[int, Result]:
        with closing(TournamentFolder(self._folder / name, plan)) as folder:
            results = dict(folder.results())
            if len(results) < plan.games:
                sys.stderr.write(f"{name}: {plan.games - len(results)} games to play\n")
                play(plan, folder, results, self._jobs)
        return results


def _from_middle(variant: Variant, point: int) -> int:
    """Rings of the board between a point and its middle."""
    row, column = divmod(point, variant.width)
    rim = min(row, column, variant.height - 1 - row, variant.width - 1 - column)
    return (min(variant.height, variant.width) - 1) // 2 - rim
