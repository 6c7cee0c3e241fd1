"""The reports of a run's parts to the process that watches over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LearnerValues = Mapping[str, float]  # by the name of a metric; the learner's numbers change with its settings


@dataclass(frozen=True, kw_only=True, slots=True)
class SelfPlayReport:
    """Counts since the actor's start, and its state now."""

    name: str  # first part of the games' ids
    games: int  # finished
    moves: int  # chosen by a search
    simulations: int
    evaluations: int  # positions that the searches asked about
    cache_hits: int  # of those, positions that the network did not see
    buffered: int  # finished games that wait for the pool
    discarded: int  # finished games that were not fit for it
    simulations_per_move: int
    version: int  # of the weights
    is_waiting: bool  # nothing was played in the last step
    is_cut_off: bool  # the pool did not answer


@dataclass(frozen=True, kw_only=True, slots=True)
class ActorReport:
    """The state of a self-play actor."""

    cpu_seconds: float  # of the whole process
    self_play: SelfPlayReport | None  # None before the first move
    failures: int  # since the process started
    failures_in_a_row: int  # since the last step that went well
    last_failure: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerReport:
    """Counts since the server's start; for a rate, `later.since(earlier)`."""

    seconds: float
    cpu_seconds: float  # of the whole process
    positions: int
    questions: int
    batches: int
    waited: float  # seconds that questions waited for their batch, all together
    dropped: int  # questions of clients that left
    clients: int  # now
    models: Mapping[str, int]  # version by name, now

    @property
    def per_s(self) -> float:
        """Positions per second."""
        return self.positions / max(self.seconds, 1e-9)

    @property
    def mean_batch(self) -> float:
        """Positions per batch."""
        return self.positions / max(self.batches, 1)

    @property
    def mean_wait_ms(self) -> float:
        """Milliseconds that a question waited for its batch."""
        return 1000 * self.waited / max(self.questions, 1)

    def since(self, earlier: ServerReport) -> ServerReport:
        """The counts between two reports of one server."""
        return ServerReport(
            seconds=self.seconds - earlier.seconds,
            cpu_seconds=self.cpu_seconds - earlier.cpu_seconds,
            positions=self.positions - earlier.positions,
            questions=self.questions - earlier.questions,
            batches=self.batches - earlier.batches,
            waited=self.waited - earlier.waited,
            dropped=self.dropped - earlier.dropped,
            clients=self.clients,
            models=self.models,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeReport:
    """State of the judge; None for what is not known."""

    elo: float | None = None  # of the best version
    elo_error: float | None = None  # half of its interval of 95 %
    rung: int | None = None  # playouts of the rollout search that is to be beaten next
    gate_version: int | None = None  # the candidate of the match for promotion in progress
    gate_games: int = 0  # of that match so far
    gate_score: float | None = None  # of its candidate
    gate_next: int | None = None  # newest version that waits to be a candidate
    ladder_score: float | None = None  # of the climber in the ladder's match in progress
    standstills: int = 0  # how often the ladder has stood still, over the whole run
    keeps_value: float | None = None  # share of the solved positions that the version examined last keeps
    keeps_value_policy: float | None = None  # the same for its network's likeliest move
    takes_win: float | None = None  # share of wins in one that the network of the version drilled last takes
    blocks: float | None = None  # share of threats of one that it blocks
    alike: float | None = None  # share of the views of a position, turned or mirrored, where its move is the same
    random_black: float | None = None  # its score as black against random moves
    random_white: float | None = None  # its score as white
    failures: int = 0  # steps that failed since the process started
    last_failure: str = ""  # empty if none has


@dataclass(frozen=True, kw_only=True, slots=True)
class Reports:
    """The last report of each part that answers; servers and actors by their number."""

    learner: LearnerValues | None = None
    judge: JudgeReport | None = None
    servers: Mapping[int, ServerReport] = field(default_factory=dict)
    actors: Mapping[int, ActorReport] = field(default_factory=dict)
