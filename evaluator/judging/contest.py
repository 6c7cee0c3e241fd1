"""One match, played in blocks of games in lock step between players that search with a version's weights."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from evaluator.judging.gate import Gate, GateConfig
from evaluator.judging.history import GATE, Contest
from evaluator.judging.journal import RecordedGame
from evaluator.judging.ladder import LadderConfig
from evaluator.matches.openings import paired, random_openings
from gobang.errors import InvalidConfig
from gobang.interfaces import Evaluator
from gobang.match import NOBODY, PlayedGame, play_games
from gobang.players.options import RolloutOptions, SearchOptions
from gobang.players.player import Player, Turn
from gobang.players.rollout import RolloutPlayer
from gobang.players.searching import SearchingPlayer
from gobang.types import Variant
from gobang.versions import version_name


class Versions(Protocol):
    """What a judge needs of the rest of the system.

    with versions.evaluator(versions.newest()) as candidate: ...
    versions.promote(12)
    """

    def newest(self) -> int:
        """The newest version that can be a candidate; NO_VERSION if there is none yet."""

    def evaluator(self, version: int) -> AbstractContextManager[Evaluator]:
        """Answers by that version's weights, held for one block of games; raises VersionGone."""

    def promote(self, version: int) -> None:
        """Make a version the best; told again what it knows it does nothing."""


class Stopped(Exception):
    """The games in flight were dropped, because somebody asked to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeConfig:
    """How matches are played, e.g. `JudgeConfig(simulations=64, search="gumbel")`."""

    simulations: int = 100  # per move of a version, in every match
    search: Literal["puct", "gumbel"] = "puct"
    solver: bool = True  # tactical solver in the versions' search
    pairs_at_once: int = 16  # of games in lock step; the verdict is looked at in between
    solved_positions: int = 1000  # most that an examined version is asked, where there are any; 0: no examinations
    share: float = 0.25  # of the time to play in; what is left belongs to self-play and training
    seed: int = 1
    gate: GateConfig = field(default_factory=GateConfig)
    ladder: LadderConfig = field(default_factory=LadderConfig)

    def __post_init__(self) -> None:
        if not 1 <= self.pairs_at_once <= 32:
            raise InvalidConfig(f"pairs_at_once {self.pairs_at_once}: from 1 to 32")
        if self.solved_positions < 0:
            raise InvalidConfig(f"solved_positions {self.solved_positions}: at least 0")
        if not 0.01 <= self.share <= 1:
            raise InvalidConfig(f"share {self.share}: from 0.01 to 1")
        self.options()

    def options(self) -> SearchOptions:
        """Of the players that search with a version's weights; raises InvalidConfig."""
        return SearchOptions(sims=self.simulations, search=self.search, solver=self.solver)

    def rest(self, seconds: float) -> float:
        """Seconds to pause after so many of play."""
        return seconds * (1 / self.share - 1)

    def terms(self, variant: Variant) -> str:
        """What the games depend on besides the players; how many there are decides which openings are drawn."""
        search = f"{self.search} with {self.simulations} simulations, solver {'on' if self.solver else 'off'}"
        kinds = (self.gate, self.ladder)
        openings = " or ".join(f"{kind.games} openings of {kind.opening_plies} plies" for kind in kinds)
        return f"{variant}; {search}; {openings}; seed {self.seed}"


class RunningContest:
    """A match with its openings and its gate.

    running = RunningContest(contest, config, variant, history.games)
    while running.gate.verdict == CONTINUE:
        running.play_block(versions, stopping, on_game)     # which records the game and adds it to the gate
    """

    def __init__(self, contest: Contest, config: JudgeConfig, variant: Variant, played: Iterable[RecordedGame]) -> None:
        gate = config.gate if contest.kind == GATE else config.ladder.contest()
        self.contest = contest
        self.gate = Gate(gate, contest.names[0])
        for game in played:
            self.gate.add(game)
        self._config = config
        self._variant = variant
        self._seed = _seed(config.seed, contest.number)
        self._fixtures = paired(random_openings(variant, gate.opening_plies, gate.games // 2, self._seed))

    def play_block(
        self, versions: Versions, stopping: threading.Event, on_game: Callable[[RecordedGame], None]
    ) -> None:
        """Play what is missing of the next block; `on_game` gets each game as soon as it is over.

        Raises VersionGone, Stopped, and whatever the evaluators or `on_game` raise; then the games in
        flight are lost and no others.
        """
        numbers = self.gate.wanted(self._config.pairs_at_once)
        if not numbers:
            return

        def on_result(index: int, game: PlayedGame) -> None:
            assert game.failed == NOBODY, game.record.note
            on_game(_recorded(self.contest, numbers[index], game))

        with contextlib.ExitStack() as stack:
            players = [Stoppable(player, stopping) for player in self._players(versions, stack)]
            play_games(self._variant, players, [self._fixtures[number] for number in numbers], on_result)

    def _players(self, versions: Versions, stack: contextlib.ExitStack) -> list[Player]:
        """The candidate and its opponent, open until the stack unwinds."""
        candidate = self._player(self.contest.candidate, versions, stack)
        if self.contest.kind == GATE:
            return [candidate, self._player(self.contest.opponent, versions, stack)]
        rollout = RolloutPlayer(self._variant, RolloutOptions(sims=self.contest.opponent), self._seed)
        return [candidate, stack.enter_context(contextlib.closing(rollout))]

    def _player(self, version: int, versions: Versions, stack: contextlib.ExitStack) -> Player:
        evaluator = stack.enter_context(versions.evaluator(version))
        options = self._config.options()
        player = SearchingPlayer(version_name(version), self._variant, options, evaluator, seed=self._seed)
        return stack.enter_context(contextlib.closing(player))


class Stoppable:
    """A player that does not move any more once the event is set."""

    def __init__(self, player: Player, stopping: threading.Event) -> None:
        self.name = player.name
        self.games_at_once = player.games_at_once
        self._player = player
        self._stopping = stopping

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The player's moves; raises Stopped."""
        if self._stopping.is_set():
            raise Stopped
        return self._player.choose(turns)

    def close(self) -> None:
        """The player belongs to whom it was taken from."""


def _seed(seed: int, contest: int) -> int:
    """32 bits that differ from match to match."""
    return int.from_bytes(hashlib.blake2b(f"{seed} {contest}".encode(), digest_size=4).digest(), "big")


def _recorded(contest: Contest, number: int, game: PlayedGame) -> RecordedGame:
    names = contest.names
    return RecordedGame(
        match=contest.number,
        number=number,
        black=names[game.fixture.seats[0]],
        white=names[game.fixture.seats[1]],
        outcome=game.record.outcome,
        moves=game.record.moves,
        opening=game.record.opening,
    )
