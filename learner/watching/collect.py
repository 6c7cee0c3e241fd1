"""What the parts of a run report, as metrics.

The reports of actors.remote are known by type to the launcher only; here they are taken by the names of
their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gobang.reports import EvaluatorReport
from gobang.versions import version_of
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
        if EVALUATOR in reports:
            values |= judge_values(reports[EVALUATOR])
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


def judge_values(report: EvaluatorReport) -> Values:
    """Strength, the last examination, the match in progress and the ladder."""
    values = {
        "elo": report.elo,
        "elo_error": report.elo_error,
        "ladder": report.rung,
        "keeps_value": report.keeps_value,
        "keeps_value_policy": report.keeps_value_policy,
        "gate_next": report.next_candidate,
    }
    if report.is_gate:
        candidate = version_of(report.candidate)
        values |= {"gate_version": candidate, "gate_games": report.match_games, "gate_score": report.match_score}
    else:
        values |= {"ladder_score": report.match_score}
    return {name: value for name, value in values.items() if value is not None}


def standstills(reports: Reports) -> int:
    """How often the ladder has stood still, as far as the evaluator has told."""
    report: EvaluatorReport = reports.get(EVALUATOR, EvaluatorReport())
    return report.standstills


def _those(reports: Reports, kind: str) -> Reports:
    return {name: report for name, report in reports.items() if name.split()[0] == kind}
