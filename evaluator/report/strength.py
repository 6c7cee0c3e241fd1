"""Strength of the versions of runs: Elo, scores by colour, and when parity was reached.

Players who do not learn, such as `rollout:sims=1000`, are the same in all runs, so that the games of
several runs are rated together and their Elo can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluator.judging.gate import ContestGame
from evaluator.judging.history import ANCHORS
from evaluator.report.plots import at_lines
from evaluator.report.run_record import RunRecord
from evaluator.statistics.bradley_terry import CrossTable, Rating, rate
from evaluator.statistics.tally import Tally, tally
from gobang.versions import version_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratings:
    """Elo of all players of some runs, rated together."""

    versions: tuple[Mapping[int, Rating], ...]  # of each run, by version
    baselines: Mapping[str, Rating]  # players who do not learn, by name, in the order in which they were met


@dataclass(frozen=True, kw_only=True, slots=True)
class Parity:
    """Parity of a run's best with a baseline, when it was reached; `version` is None if it was not."""

    run: str
    baseline: str
    version: int | None = None
    at: Mapping[str, float] = field(default_factory=dict)  # on each axis
    lead: float = 0.0  # Elo above the baseline
    error: float = 0.0  # half of its 95 % interval, the two ratings taken as independent


def rate_runs(runs: Sequence[RunRecord]) -> Ratings:
    """Ratings from the judges' games of all runs."""
    table = CrossTable()
    for number, run in enumerate(runs):
        for game in run.games:
            names = game.contestants
            first, second = (name if version_of(name) is None else f"{number} {name}" for name in names)
            table.add(first, second, game.points_of(names[0]))
    versions: tuple[dict[int, Rating], ...] = tuple({} for _ in runs)
    baselines: dict[str, Rating] = {}
    for rating in rate(table, ANCHORS):
        owner, _, name = rating.name.partition(" ")
        version = version_of(name)
        if version is None:
            baselines[rating.name] = rating
        else:
            versions[int(owner)][version] = rating
    return Ratings(versions=versions, baselines=baselines)


def contestants(game: ContestGame) -> tuple[str, str]:
    """The candidate of a game and its opponent: of two versions the newer one is the candidate."""
    names = game.contestants
    first, second = map(version_of, names)
    is_first = second is None or (first is not None and first > second)
    return names if is_first else names[::-1]


def is_first(game: ContestGame, name: str) -> bool:
    """Whether a contestant is black; among more than two players, whether it sits alone."""
    return game.names[0] == name if len(game.names) == 2 else game.names.count(name) == 1


def scores_by_version(run: RunRecord, is_meant: Callable[[str], bool]) -> dict[int, tuple[Tally, Tally]]:
    """The scores of each version against the opponents that are meant: as black and as white, or alone and not."""
    points: dict[int, tuple[list[float], list[float]]] = {}
    for game in run.games:
        candidate, opponent = contestants(game)
        version = version_of(candidate)
        if version is not None and is_meant(opponent):
            points.setdefault(version, ([], []))[not is_first(game, candidate)].append(game.points_of(candidate))
    return {version: (tally(black), tally(white)) for version, (black, white) in points.items()}


def parities(runs: Sequence[RunRecord], ratings: Ratings) -> list[Parity]:
    """For each run and baseline, the first promoted version that is rated as high."""
    return [
        _parity(run, rated, baseline)
        for baseline in ratings.baselines.values()
        for run, rated in zip(runs, ratings.versions, strict=True)
        if rated and run.lines
    ]


def _parity(run: RunRecord, rated: Mapping[int, Rating], baseline: Rating) -> Parity:
    for version in run.promoted():
        if version in rated and rated[version].elo >= baseline.elo:
            place = at_lines(run, [run.line_of_version(version)])
            at = {axis: float(values[0]) for axis, values in place.items()}
            lead, error = rated[version].elo - baseline.elo, math.hypot(rated[version].error, baseline.error)
            return Parity(run=run.name, baseline=baseline.name, version=version, at=at, lead=lead, error=error)
    return Parity(run=run.name, baseline=baseline.name)
