"""One match, played in blocks of games in lock step between players that search with a version's weights."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from evaluator.judging.gate import ContestGame, Gate, GateConfig
from evaluator.judging.journal import Line
from evaluator.judging.ladder import LadderConfig
from gobang.errors import InvalidConfig, VersionGone
from gobang.interfaces import Versions
from gobang.match import NOBODY, PlayedGame, openings_for, paired, play_games
from gobang.openings import Opening, balanced_openings, chosen_openings, has_balanced
from gobang.players.options import RolloutOptions, SearchOptions
from gobang.players.player import Player, Turn
from gobang.players.rollout import RolloutPlayer
from gobang.players.searching import SearchingPlayer
from gobang.rules.position import Position
from gobang.types import BALANCED, RANDOM, Variant
from gobang.versions import NO_VERSION, version_name

_GATE: Final = "gate"  # kinds of matches in a journal's line
_LADDER: Final = "ladder"


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """An opponent that searches with the weights of a version, as `Version(number=7)`."""

    number: int

    @property
    def name(self) -> str:
        """As games and ratings call it, e.g. "v7"."""
        return version_name(self.number)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rollouts:
    """An opponent that searches by random games, as `Rollouts(playouts=1000)`."""

    playouts: int  # per move

    @property
    def name(self) -> str:
        """The text of this player, e.g. "rollout:sims=1000"."""
        return f"rollout:sims={self.playouts}"


Opponent = Version | Rollouts


@dataclass(frozen=True, kw_only=True, slots=True)
class Contest:
    """A match, e.g. `Contest(number=17, candidate=12, opponent=Version(number=7), terms="8x8, ...")`.

    It is the gate's if the opponent is the best version, and the ladder's if it is a rollout search.
    """

    number: int
    candidate: int  # version
    opponent: Opponent
    terms: str  # what the games depend on besides; games on other terms do not mix

    @property
    def is_gate(self) -> bool:
        """Whether the candidate plays to be promoted."""
        return not isinstance(self.opponent, Rollouts)

    @property
    def names(self) -> tuple[str, str]:
        """Candidate and opponent as the games call them, e.g. ("v12", "rollout:sims=1000")."""
        return version_name(self.candidate), self.opponent.name

    def as_line(self) -> Line:
        """The match for the journal: the opponent's version or playouts after the kind of the match."""
        opponent = self.opponent
        if isinstance(opponent, Rollouts):
            kind, number = _LADDER, opponent.playouts
        else:
            kind, number = _GATE, opponent.number
        fields = {"number": self.number, "kind": kind, "candidate": self.candidate, "opponent": number}
        return {**fields, "terms": self.terms}

    @classmethod
    def from_line(cls, line: Line) -> Contest:
        """The match of a journal's line; raises KeyError for a line that is none.

        In old journals the first candidate has NO_VERSION for an opponent, and was promoted without a game.
        """
        number = line["opponent"]
        opponents: dict[str, Opponent] = {_GATE: Version(number=number), _LADDER: Rollouts(playouts=number)}
        opponent = opponents[line["kind"]]
        return cls(number=line["number"], candidate=line["candidate"], opponent=opponent, terms=line["terms"])


class PlayerGone(VersionGone):
    """A player of a match cannot play any more, because the weights of its version are gone or damaged."""

    def __init__(self, version: int, reason: VersionGone) -> None:
        super().__init__(str(reason))
        self.version = version


class Stopped(Exception):
    """The games in flight were dropped, because somebody asked to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeConfig:
    """Settings of the judge, e.g. `JudgeConfig(simulations=64, search="gumbel")`."""

    simulations: int = 100  # per move of a version, in every match
    search: Literal["puct", "gumbel", "ucb1", "prior"] = "puct"
    solver: bool = True  # tactical solver in the versions' search
    pairs_at_once: int = 32  # of games in lock step; the verdict is looked at in between
    solved_positions: int = 1000  # most that an examined version is asked, where there are any; 0: no exams
    drills: bool = True  # ask the newest version simple questions before each block of games
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
        """Seconds to pause after `seconds` of play."""
        return seconds * (1 / self.share - 1)

    def terms(self, variant: Variant) -> str:
        """All that the games depend on besides the players; how many there are decides which openings are drawn."""
        search = f"{self.search} with {self.simulations} simulations, solver {'on' if self.solver else 'off'}"
        kinds = (self.gate, self.ladder.contest(variant.players))
        openings = " or ".join(f"{kind.games} games after {_openings_text(kind, variant)}" for kind in kinds)
        return f"{variant}; {search}; {openings}; seed {self.seed}"


def compile_rollouts(variant: Variant) -> None:
    """Compile the kernels of rollout searches, or load them, so that no match is charged for the time that takes."""
    with contextlib.closing(RolloutPlayer(variant, RolloutOptions(sims=2), seed=0)) as player:
        player.choose([Turn(game=0, position=Position(variant))])


class RunningContest:
    """A match with its openings and its gate.

    running = RunningContest(contest, config, variant, history.games)
    while running.gate.verdict == CONTINUE:
        running.play_block(versions, stopping, on_game)     # which records the game and adds it to the gate
    """

    def __init__(self, contest: Contest, config: JudgeConfig, variant: Variant, played: Iterable[ContestGame]) -> None:
        gate = config.gate if contest.is_gate else config.ladder.contest(variant.players)
        self.contest = contest
        self.gate = Gate(gate, contest.names[0], variant.players)
        for game in played:
            self.gate.add(game)
        self._config = config
        self._variant = variant
        self._seed = _seed(config.seed, contest.number)
        self._fixtures = paired(_openings(gate, variant, self._seed), variant.players)

    def simulations_of(self, game: ContestGame) -> int:
        """Return about how many simulations and playouts the moves of a game have taken."""
        opponent, own = self.contest.opponent, self._config.simulations
        theirs = opponent.playouts if isinstance(opponent, Rollouts) else own
        return len(game.record.moves) * (own + theirs) // 2

    def play_block(self, versions: Versions, stopping: threading.Event, on_game: Callable[[ContestGame], None]) -> None:
        """Play what is missing of the next block; `on_game` gets each game as soon as it is over.

        Raises PlayerGone, Stopped, and whatever the evaluators or `on_game` raise; then the games in
        flight are lost and no others.
        """
        numbers = self.gate.wanted(self._config.pairs_at_once)
        if not numbers:
            return

        def on_result(index: int, game: PlayedGame) -> None:
            assert game.failed == NOBODY, game.record.note
            on_game(_with_names(self.contest, numbers[index], game))

        with contextlib.ExitStack() as stack:
            players = self._players(versions, stopping, stack)
            play_games(self._variant, players, [self._fixtures[number] for number in numbers], on_result)

    def _players(self, versions: Versions, stopping: threading.Event, stack: contextlib.ExitStack) -> list[Player]:
        """Open the candidate and its opponent until the stack unwinds."""
        candidate = self._player(self.contest.candidate, versions, stopping, stack)
        opponent = self.contest.opponent
        if isinstance(opponent, Version):
            return [candidate, self._player(opponent.number, versions, stopping, stack)]
        rollout = RolloutPlayer(self._variant, RolloutOptions(sims=opponent.playouts), self._seed)
        return [candidate, Stoppable(stack.enter_context(contextlib.closing(rollout)), stopping)]

    def _player(
        self, version: int, versions: Versions, stopping: threading.Event, stack: contextlib.ExitStack
    ) -> Player:
        with _naming(version):
            evaluator = stack.enter_context(versions.evaluator(version))
        options = self._config.options()
        player = SearchingPlayer(version_name(version), self._variant, options, evaluator, seed=self._seed)
        return Stoppable(stack.enter_context(contextlib.closing(player)), stopping, version)


class Stoppable:
    """A player that stops to move once the event is set, and says which version it is when that is gone."""

    def __init__(self, player: Player, stopping: threading.Event, version: int = NO_VERSION) -> None:
        self.name = player.name
        self.games_at_once = player.games_at_once
        self._player = player
        self._stopping = stopping
        self._version = version

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """Return the player's moves; raises Stopped and PlayerGone."""
        if self._stopping.is_set():
            raise Stopped
        with _naming(self._version):
            return self._player.choose(turns)

    def close(self) -> None:
        """Do nothing: the caller of the constructor closes the player."""


@contextlib.contextmanager
def _naming(version: int) -> Iterator[None]:
    """Translate VersionGone into PlayerGone."""
    try:
        yield
    except VersionGone as error:
        raise PlayerGone(version, error) from error


def _openings(gate: GateConfig, variant: Variant, seed: int) -> list[Opening]:
    """One for each round of a match: a pair of games, or P of them among P > 2 players."""
    kind = BALANCED if _is_balanced(gate, variant) else RANDOM
    return chosen_openings(variant, kind, gate.opening_plies, openings_for(gate.games, variant.players), seed)


def _openings_text(gate: GateConfig, variant: Variant) -> str:
    """What they are drawn from."""
    if not _is_balanced(gate, variant):
        return f"{gate.opening_plies} random plies"
    content = repr(balanced_openings(variant)).encode()
    return f"balanced openings {hashlib.blake2b(content, digest_size=4).hexdigest()}"


def _is_balanced(gate: GateConfig, variant: Variant) -> bool:
    return gate.openings == BALANCED and has_balanced(variant)


def _seed(seed: int, contest: int) -> int:
    """32 bits that differ from match to match."""
    return int.from_bytes(hashlib.blake2b(f"{seed} {contest}".encode(), digest_size=4).digest(), "big")


def _with_names(contest: Contest, number: int, game: PlayedGame) -> ContestGame:
    names = tuple(contest.names[who] for who in game.fixture.seats)
    return ContestGame(match=contest.number, number=number, names=names, record=game.record)
