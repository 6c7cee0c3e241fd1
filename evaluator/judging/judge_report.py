"""The report of a judge, for the process that watches over the run."""

from __future__ import annotations

from evaluator.judging.judge import JudgeState
from gobang.reports import JudgeReport
from gobang.versions import version_name


def report_of(state: JudgeState) -> JudgeReport:
    """Return the part of a judge's state that other parts of the run read."""
    best = next((rating for rating in state.ratings if rating.name == version_name(state.best)), None)
    contest, total = state.contest, state.standing.total
    score = total.score if contest and total.games else None
    drill = state.drill
    candidate = contest.candidate if contest and contest.is_gate else None
    met = state.judged if candidate is None else candidate
    return JudgeReport(
        elo=best.elo if best else None,
        elo_error=best.error if best else None,
        rung=state.rung,
        gate_version=candidate,
        gate_games=0 if candidate is None else state.standing.games,
        gate_score=None if candidate is None else score,
        gate_next=state.newest if state.newest > met else None,
        ladder_score=score if candidate is None else None,
        standstills=state.standstills,
        keeps_value=state.exam.keeps_value if state.exam else None,
        keeps_value_policy=state.exam.keeps_value_policy if state.exam else None,
        takes_win=drill.takes_win if drill else None,
        blocks=drill.blocks if drill else None,
        alike=drill.alike if drill else None,
        random_black=drill.against_random[0] if drill else None,
        random_white=drill.against_random[1] if drill else None,
    )
