"""The parts of a run: each is a Ray actor of a kind, with a number where there are several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from gobang.reports import ActorReport, JudgeReport, LearnerValues, Reports, ServerReport

PartReport = LearnerValues | JudgeReport | ServerReport | ActorReport


class Kind(Enum):
    """The work of a part; the value is its word for people."""

    LEARNER = "learner"
    JUDGE = "judge"
    INFERENCE = "inference"
    ACTOR = "actor"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the run, e.g. `Part(Kind.ACTOR, 3)`; of learner and judge there is one, with number 0."""

    kind: Kind
    number: int = 0

    def __str__(self) -> str:
        return self.kind.value if self.kind in _SINGLE else f"{self.kind.value} {self.number}"


LEARNER: Final = Part(Kind.LEARNER)
JUDGE: Final = Part(Kind.JUDGE)
_SINGLE: Final = (Kind.LEARNER, Kind.JUDGE)


def by_kind(reports: Mapping[Part, PartReport]) -> Reports:
    """The reports sorted by what they report on; each kind of part has its own type of report."""
    learner = reports.get(LEARNER)
    judge = reports.get(JUDGE)
    return Reports(
        learner=learner if isinstance(learner, Mapping) else None,
        judge=judge if isinstance(judge, JudgeReport) else None,
        servers={part.number: report for part, report in reports.items() if isinstance(report, ServerReport)},
        actors={part.number: report for part, report in reports.items() if isinstance(report, ActorReport)},
    )
