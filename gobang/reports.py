"""Where the parts of a run stand, as each tells it to whoever watches the run."""

from __future__ import annotations

from dataclasses import dataclass

from gobang.versions import NO_VERSION


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluatorReport:
    """Where the evaluator stands, e.g. `EvaluatorReport(best=7, judged=9, elo=311.0, elo_error=42.0, ...)`.

    What is not given is not known yet, or there is nothing of the kind.
    """

    best: int = NO_VERSION
    judged: int = NO_VERSION  # newest version that has met the best
    elo: float | None = None  # of the best
    elo_error: float | None = None  # half of its 95 % interval
    rung: int | None = None  # playouts a move of the rollout search to be beaten next; None above the last rung
    candidate: str = ""  # who plays a match now, e.g. "v9"; empty between matches
    opponent: str = ""  # in that match: the best version, or on the ladder a search such as "rollout:sims=2000"
    is_gate: bool = False  # whether that match is for promotion
    match_games: int | None = None  # of that match so far
    match_score: float | None = None  # points per game of the candidate in them
    next_candidate: int | None = None  # newest version, if it has yet to meet the best
    exam_version: int | None = None  # examined last, on boards of which there are solved positions
    keeps_value: float | None = None  # share of the solved positions whose value it keeps
    keeps_value_policy: float | None = None  # the same for the likeliest move of its network
    standstills: int = 0  # how often the ladder has stood still, over the whole run
    games: int = 0  # different ones played in all
    failures: int = 0  # steps that failed since the process started
    last_failure: str = ""
