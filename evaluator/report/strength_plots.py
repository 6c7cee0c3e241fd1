"""Plots of strength: Elo, and the score against each opponent by colour."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from operator import eq
from typing import Final

import numpy as np

from evaluator.report.plots import POINTS, STEPS, Curve, Plot, at_lines, ends_of, shown_name
from evaluator.report.run_record import RunRecord
from evaluator.report.strength import Ratings, scores_by_version
from evaluator.statistics.bradley_terry import Rating
from evaluator.statistics.intervals import wilson
from evaluator.statistics.tally import Tally
from gobang.versions import version_of

_SEATS: Final = ("as black", "as white")
_SEATS_OF_MORE: Final = ("alone", "as all others")


def elo_plot(runs: Sequence[RunRecord], ratings: Ratings) -> Plot | None:
    """Elo of each rated version where its weights were made, and of the best so far."""
    curves = tuple(
        curve
        for number, (run, rated) in enumerate(zip(runs, ratings.versions, strict=True))
        if rated and run.lines
        for curve in _elo_curves(run, rated, runs, number)
    )
    if not curves:
        return None
    return Plot(
        name="elo",
        title="Elo",
        unit="Elo",
        caption="Each point is a version, where its weights were made, rated from all matches of the judge; the "
        "bar is its 95 % interval. The steps are the versions that were promoted. Dashed: the opponents of the "
        "ladder; rollout:sims=1000 is 0 by definition. Few games make wide bars: compare intervals, not points.",
        curves=curves,
        ends=ends_of(runs),
        levels={name: rating.elo for name, rating in ratings.baselines.items()},
    )


def _elo_curves(
    run: RunRecord, rated: Mapping[int, Rating], runs: Sequence[RunRecord], number: int
) -> tuple[Curve, Curve]:
    versions = sorted(rated)
    elo, error = (np.array([getattr(rated[version], each) for version in versions]) for each in ("elo", "error"))
    best = [version for version in run.promoted() if version in rated]
    lines = [run.line_of_version(version) for version in best]
    strength = [rated[version].elo for version in best]
    several = len(runs) > 1
    candidates = Curve(
        run=shown_name(run, runs),
        label="each candidate",
        x=at_lines(run, [run.line_of_version(version) for version in versions]),
        y=elo,
        error=np.stack([error, error]),
        style=POINTS,
        colour=number,
    )
    promoted = Curve(
        run=shown_name(run, runs),
        label="the best so far",
        x=at_lines(run, [*lines, run.lines - 1]),
        y=np.array([*strength, *strength[-1:]] or [np.nan]),
        style=STEPS,
        colour=number if several else 1,
    )
    return candidates, promoted


def score_plots(runs: Sequence[RunRecord], ratings: Ratings) -> list[Plot]:
    """The score by colour against each baseline, the last one met first, and against the best version before."""
    plots = [
        _score_plot(
            f"against-{_file_name(name)}",
            f"Against {name}",
            "Points per game of each version that has met this opponent, with 95 % intervals; draws count half. "
            "At 0.5 they are equal.",
            runs,
            [scores_by_version(run, partial(eq, name)) for run in runs],
        )
        for name in reversed(list(ratings.baselines))
    ]
    gate = _score_plot(
        "against-best",
        "Against the best before",
        "Each candidate's match for promotion, points per game with 95 % intervals. The match ends as soon as it is "
        "decided, so that short matches have wide bars.",
        runs,
        [scores_by_version(run, _is_version) for run in runs],
    )
    return [plot for plot in (*plots, gate) if plot is not None]


def _score_plot(
    name: str, title: str, caption: str, runs: Sequence[RunRecord], scores: Sequence[Mapping[int, tuple[Tally, Tally]]]
) -> Plot | None:
    curves = tuple(
        _score_curve(run, {version: seats[seat] for version, seats in by_version.items()}, runs, number, seat)
        for number, (run, by_version) in enumerate(zip(runs, scores, strict=True))
        if by_version and run.lines
        for seat in range(2)
    )
    if not curves:
        return None
    return Plot(
        name=name,
        title=title,
        unit="points per game",
        caption=caption,
        curves=curves,
        ends=ends_of(runs),
        levels=_even(runs[0].variant.players),
        bounds=(0.0, 1.0),
    )


def _score_curve(
    run: RunRecord, tallies: Mapping[int, Tally], runs: Sequence[RunRecord], number: int, seat: int
) -> Curve:
    met = {version: counts for version, counts in sorted(tallies.items()) if counts.games}
    score = np.array([counts.score for counts in met.values()])
    interval = np.array([wilson(counts.points, counts.games) for counts in met.values()]).reshape(-1, 2)
    several = len(runs) > 1
    return Curve(
        run=shown_name(run, runs),
        label=(_SEATS if run.variant.players == 2 else _SEATS_OF_MORE)[seat],
        x=at_lines(run, [run.line_of_version(version) for version in met]),
        y=score,
        error=np.maximum(0, [score - interval[:, 0], interval[:, 1] - score]),
        style=POINTS,
        colour=number if several else seat,
        dash=seat if several else 0,
    )


def _even(players: int) -> dict[str, float]:
    """What equals would score."""
    return {"": 0.5} if players == 2 else {"even, alone": 1 / players, "even, as all others": 1 - 1 / players}


def _is_version(name: str) -> bool:
    return version_of(name) is not None


def _file_name(player: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", player.lower()).strip("-")
