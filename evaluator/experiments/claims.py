"""The work's figures beside ours, and the verdict on each of its claims, as rows of Markdown.

What is compared is the Elo among all that was trained or, if nobody meets, how many rungs of rollouts were beaten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from evaluator.experiments.laboratory import Findings
from evaluator.experiments.question import Question, sides
from evaluator.statistics.seeds import difference_interval, mean_interval, verdict

_TRAINED_BY: Final = 800  # iterations within which a trained run has beaten the first rung but one, as a work has it
_TRAINED_RUNG: Final = 2000


def beside_rows(question: Question, findings: Findings) -> Iterator[str]:
    """One row for each variant: the work's figure, and ours with its interval over the seeds."""
    yield f"| variant | the work | here: {_measure(findings)}, mean with its interval over the seeds | of each seed |"
    yield "|---|---|---|---|"
    for name, figure in question.works:
        values = _values(findings, name)
        each = ", ".join(_number(findings, value) for value in values)
        yield f"| {name} | {figure} | {_with_interval(findings, values)} | {each} |"


def claim_rows(question: Question, findings: Findings) -> Iterator[str]:
    """One row for each claim: the difference with its interval, and the verdict."""
    yield f"| the work's claim | difference in {_measure(findings)}, with its interval | verdict |"
    yield "|---|---|---|"
    for claim in question.claims:
        more, less = (_values(findings, name) for name in sides(claim))
        low, high = difference_interval(more, less)
        difference = _number(findings, float(np.mean(more) - np.mean(less)))
        span = f"{_bound(findings, low)} to {_bound(findings, high)}"
        yield f"| {claim} | {difference} ({span}) | {verdict(more, less)} |"


def rung_rows(question: Question, findings: Findings) -> Iterator[str]:
    """One row for each variant: the iteration at which each rung fell, and the share of runs that were trained."""
    won = {training.name: training.rungs() for training in findings.trainings}
    rungs = sorted({playouts for own in won.values() for playouts in own})
    trained = f"trained: {_TRAINED_RUNG:,} within {_TRAINED_BY}"
    yield f"| variant | {''.join(f'{playouts:,} | ' for playouts in rungs)}{trained} |"
    yield "|---" * (len(rungs) + 2) + "|"
    for variation in question.variants:
        own = [won[training.name] for training in findings.trainings if training.variation == variation]
        cells = [_rung([each[playouts] for each in own if playouts in each], len(own)) for playouts in rungs]
        able = sum(each.get(_TRAINED_RUNG, _TRAINED_BY + 1) <= _TRAINED_BY for each in own)
        yield f"| {variation.name} | {''.join(f'{cell} | ' for cell in cells)}{able} of {len(own)} |"


def _rung(iterations: Sequence[int], seeds: int) -> str:
    """Return the mean with the least and the most, and how many seeds beat the rung."""
    if not iterations:
        return "none"
    span = f" ({min(iterations):,} to {max(iterations):,})" if len(iterations) > 1 else ""
    return f"{np.mean(iterations):,.0f}{span}, {len(iterations)} of {seeds}"


def _values(findings: Findings, name: str) -> list[float]:
    """Return what is compared, of each seed of a variant."""
    own = [training for training in findings.trainings if training.variation.name == name]
    if findings.meeting is None:
        return [float(len(training.rungs())) for training in own]
    table = findings.meeting
    return [float(table.strengths.elo[table.names.index(training.name)]) for training in own]


def _measure(findings: Findings) -> str:
    return "rungs beaten" if findings.meeting is None else "Elo"


def _with_interval(findings: Findings, values: Sequence[float]) -> str:
    low, high = mean_interval(values)
    return f"{_number(findings, float(np.mean(values)))} ({_bound(findings, low)} to {_bound(findings, high)})"


def _number(findings: Findings, value: float) -> str:
    return f"{value:.1f}" if findings.meeting is None else f"{value:+.0f}"


def _bound(findings: Findings, value: float) -> str:
    return _number(findings, value) if np.isfinite(value) else "unknown"
