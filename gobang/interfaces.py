"""The interfaces of the parts that can be exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from gobang.types import Analysis, Evaluations, Positions, SelfPlayGame, Variant

Ticket = Any  # what `submit` returns and only the same evaluator's `collect` understands


class Evaluator(Protocol):
    """Answers positions with priors and chances: a network, a cache, a socket, a null model.

    The search keeps one half of its games waiting for answers while the other half searches:

        ticket = evaluator.submit(positions)     # returns at once where it can
        ...                                      # descend in the other half
        evaluations = evaluator.collect(ticket)  # waits
    """

    @property
    def version(self) -> int:
        """Number of the weights that answer; an answer may be kept for as long as it stays."""

    def submit(self, positions: Positions) -> Ticket:
        """Ask about a batch; the arrays may be reused by the caller after `collect`."""

    def collect(self, ticket: Ticket) -> Evaluations:
        """Wait for the answers to one `submit`, each ticket once, in any order."""


class LiveSearch(Protocol):
    """A search of one position that can be looked at while it goes on.

    while search.step():
        show(search.analysis(most=5))
    """

    def step(self) -> bool:
        """Search a little more; False when all is done."""

    def analysis(self, most: int) -> Analysis:
        """What is known so far, with at most so many moves; the search may go on afterwards."""

    @property
    def move(self) -> int:
        """The best move found so far."""


class GameSink(Protocol):
    """Takes finished games of actors.

    while not sink.has_room():     # the learner is behind: wait
        ...
    sink.add(game)                 # again after PoolUnavailable; the id keeps it single

    An actor adds its games in rising order of their numbers, since a number at or below its last
    one counts as stored; so an actor that starts anew, with numbers from the beginning, takes a new name.
    """

    def add(self, game: SelfPlayGame) -> bool:
        """Store a game for good; False if its id is stored already.  Raises PoolUnavailable."""

    def has_room(self) -> bool:
        """Whether self-play may go on, or has run too far ahead of the learner.  Raises PoolUnavailable."""


class WeightsSource(Protocol):
    """Gives weights to servers and to the judge.

    blob = source.weights("latest", known=version)   # None: nothing newer
    """

    def weights(self, which: str, known: int) -> bytes | None:
        """A checkpoint file's bytes of "latest", "best" or a version number; None if that is `known`."""


class Versions(Protocol):
    """The versions of a run, as whoever judges them needs them.

    with versions.evaluator(versions.newest()) as candidate: ...
    versions.promote(12)
    """

    def newest(self) -> int:
        """The newest version that can be a candidate; NO_VERSION if there is none yet."""

    def evaluator(self, version: int) -> AbstractContextManager[Evaluator]:
        """Answers by that version's weights, while the context lasts; raises VersionGone."""

    def promote(self, version: int) -> None:
        """Make a version the best; told again what it knows it does nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PartState:
    """A process of a run, e.g. `PartState(name="actor 3", place="node1", doing="plays with version 12")`."""

    name: str
    place: str  # where it runs, as far as that is known
    doing: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchState:
    """A match of the judge, e.g. `MatchState(kind="gate", candidate="v12", opponent="v9", games=40, ...)`."""

    kind: str  # gate or ladder
    candidate: str
    opponent: str
    games: int  # that are over
    wins: int  # of the candidate
    draws: int
    losses: int
    verdict: str  # empty while it goes on


@dataclass(frozen=True, kw_only=True, slots=True)
class RunState:
    """What a run is doing now."""

    name: str
    variant: Variant
    state: str  # e.g. "running", "finished"
    written: float  # when it was last heard of, seconds of the epoch
    values: Mapping[str, float]  # the newest metrics by name
    labels: Mapping[str, str]  # what each metric is, with its unit
    versions: Mapping[str, int]  # of "latest" and "best", as far as there are any; `weights` gives them by number
    parts: Sequence[PartState]
    matches: Sequence[MatchState]  # the newest first


class WatchedRun(WeightsSource, Protocol):
    """A run that may be going on, for whoever only looks.

    state = run.state()
    lines, position = run.metrics(0)       # later: run.metrics(position), again until the position stays
    games = run.newest_games(8)
    """

    def state(self) -> RunState:
        """What is going on; raises GobangError."""

    def metrics(self, position: int) -> tuple[Sequence[Mapping[str, float]], int]:
        """Return some lines of the metrics behind a position, each with its `time`, and the position behind them.

        A smaller position than before says that the metrics began anew.
        """

    def newest_games(self, most: int) -> Sequence[SelfPlayGame]:
        """Games of self-play that were stored last, the newest first; raises PoolUnavailable."""
