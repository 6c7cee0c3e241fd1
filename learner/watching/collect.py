"""What the parts of a run report, as metrics.

The reports are those of actors.remote and evaluator.judging.remote, which only the launcher knows by type;
here they are taken by the names of their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from learner.watching.metrics import Total, Values

LEARNER: Final = "learner"
EVALUATOR: Final = "evaluator"
ACTOR: Final = "actor"  # and a number
INFERENCE: Final = "inference"  # and a number

Reports = Mapping[str, Any]  # by the name of the part


class Collector:
    """Adds up over processes and over their restarts."""

    def __init__(self) -> None:
        self._learner: Values = {}  # the last, so that its counters stay while it restarts
        self._answered = Total()
        self._batches = Total()
        self._questions = Total()
        self._waited = Total()
        self._asked = Total()
        self._hits = Total()

    def collect(self, reports: Reports) -> Values:
        """All metrics that the reports hold."""
        self._learner = dict(reports.get(LEARNER, self._learner))
        values = dict(self._learner)
        values |= self._inference(_those(reports, INFERENCE))
        values |= self._actors(_those(reports, ACTOR))
        if EVALUATOR in reports and reports[EVALUATOR].judge is not None:
            values |= judge_values(reports[EVALUATOR].judge)
        return values

    def _inference(self, servers: Reports) -> Values:
        for name, report in servers.items():
            self._answered.add(name, report.positions)
            self._batches.add(name, report.batches)
            self._questions.add(name, report.questions)
            self._waited.add(name, report.waited)
        return {
            "batch_size": self._answered.value / max(1.0, self._batches.value),
            "batch_wait": 1000 * self._waited.value / max(1.0, self._questions.value),
        }

    def _actors(self, actors: Reports) -> Values:
        playing = {name: report.self_play for name, report in actors.items() if report.self_play is not None}
        for name, report in playing.items():
            self._asked.add(name, report.evaluations)
            self._hits.add(name, report.cache_hits)
        return {
            "evaluations": self._asked.value - self._hits.value,
            "actors": len(playing),
            "buffered": sum(report.buffered for report in playing.values()),
            "cache_hits": self._hits.value / max(1.0, self._asked.value),
        }


def judge_values(judge: Any) -> Values:
    """Strength, the last examination, the match in progress and the ladder."""
    values: Values = {}
    for rating in judge.ratings:
        if rating.name == f"v{judge.best}":
            values |= {"elo": rating.elo, "elo_error": rating.error}
    if judge.rung is not None:
        values["ladder"] = judge.rung
    if judge.exam is not None:
        values |= {"keeps_value": judge.exam.keeps_value, "keeps_value_policy": judge.exam.keeps_value_policy}
    if judge.contest is None:
        return values
    total, games = judge.standing.total, judge.standing.games
    score = {"score": total.points / max(1, total.games)} if games else {}
    if judge.contest.is_gate:
        values |= {"gate_version": judge.contest.candidate, "gate_games": games}
        return values | {f"gate_{name}": value for name, value in score.items()}
    return values | {f"ladder_{name}": value for name, value in score.items()}


def standstills(reports: Reports) -> int:
    """How often the ladder has stood still, as far as the evaluator has told."""
    judge = reports[EVALUATOR].judge if EVALUATOR in reports else None
    return judge.standstills if judge is not None else 0


def _those(reports: Reports, kind: str) -> Reports:
    return {name: report for name, report in reports.items() if name.split()[0] == kind}
