"""The reports of a run's parts as metrics, added up over processes and over their restarts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gobang.reports import ActorReport, JudgeReport, Reports, ServerReport
from gobang.versions import LATEST
from learner.watching.metrics import Total, Values

STUCK_FAILURES: Final = 3  # in a row, after which an actor counts as one that only fails


class Collector:
    """Remembers what processes counted that have been restarted since."""

    def __init__(self) -> None:
        self._learner: Values = {}  # the last, so that its counters stay while it restarts
        self._answered = Total()
        self._batches = Total()
        self._questions = Total()
        self._waited = Total()
        self._dropped = Total()
        self._moves = Total()
        self._simulated = Total()
        self._asked = Total()
        self._hits = Total()
        self._discarded = Total()
        self._failures = Total()  # of actors
        self._judging_failures = Total()

    def collect(self, reports: Reports) -> Values:
        """All metrics that the reports hold."""
        if reports.learner is not None:
            self._learner = dict(reports.learner)
        values = {**self._learner, **self._inference(reports.servers), **self._playing(reports.actors)}
        if reports.judge is not None:
            values |= judged(reports.judge)
            self._judging_failures.add(0, reports.judge.failures)
        return {**values, "failures": self._failures.value + self._judging_failures.value}

    def _inference(self, servers: Mapping[int, ServerReport]) -> Values:
        for number, report in servers.items():
            self._answered.add(number, report.positions)
            self._batches.add(number, report.batches)
            self._questions.add(number, report.questions)
            self._waited.add(number, report.waited)
            self._dropped.add(number, report.dropped)
        served = [report.models[LATEST] for report in servers.values() if LATEST in report.models]
        return {
            "batch_size": self._answered.value / max(1.0, self._batches.value),
            "batch_wait": 1000 * self._waited.value / max(1.0, self._questions.value),
            "clients": sum(report.clients for report in servers.values()),
            "dropped": self._dropped.value,
            **({"served": min(served)} if served else {}),
        }

    def _playing(self, actors: Mapping[int, ActorReport]) -> Values:
        playing = {number: report.self_play for number, report in actors.items() if report.self_play is not None}
        for number, report in actors.items():
            self._failures.add(number, report.failures)
        for number, played in playing.items():
            self._moves.add(number, played.moves)
            self._simulated.add(number, played.simulations)
            self._asked.add(number, played.evaluations)
            self._hits.add(number, played.cache_hits)
            self._discarded.add(number, played.discarded)
        return {
            "evaluations": self._asked.value - self._hits.value,
            "actors": len(playing),
            "waiting": sum(played.is_waiting for played in playing.values()),
            "cut_off": sum(played.is_cut_off for played in playing.values()),
            "buffered": sum(played.buffered for played in playing.values()),
            "discarded": self._discarded.value,
            "failing": sum(report.failures_in_a_row >= STUCK_FAILURES for report in actors.values()),
            "cache_hits": self._hits.value / max(1.0, self._asked.value),
            "effort": self._simulated.value / max(1.0, self._moves.value),
            **({"played": min(played.version for played in playing.values())} if playing else {}),
        }


def judged(report: JudgeReport) -> Values:
    """Strength, the last exam, the match in progress and the ladder."""
    known = {
        "elo": report.elo,
        "elo_error": report.elo_error,
        "ladder": report.rung,
        "ladder_score": report.ladder_score,
        "keeps_value": report.keeps_value,
        "keeps_value_policy": report.keeps_value_policy,
        "takes_win": report.takes_win,
        "blocks": report.blocks,
        "alike": report.alike,
        "random_black": report.random_black,
        "random_white": report.random_white,
        "gate_version": report.gate_version,
        "gate_games": None if report.gate_version is None else report.gate_games,
        "gate_score": report.gate_score,
        "gate_next": report.gate_next,
    }
    return {name: value for name, value in known.items() if value is not None}


def standstills(reports: Reports) -> int:
    """Number of times that the ladder has stood still, as far as the judge has told."""
    return 0 if reports.judge is None else reports.judge.standstills
