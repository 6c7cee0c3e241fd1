"""The desk of analysis: questions wait by priority, a few are searched side by side, answers come as they ripen."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gobang.analysis.query import Answer, Query
from gobang.analysis.threats import Threats, find_threats
from gobang.errors import GobangError, InvalidSpec
from gobang.interfaces import LiveSearch
from gobang.players.player import Analyst, Player
from gobang.players.requested import parse_requested
from gobang.players.spec import PlayerSpec, make_player, parse
from gobang.players.trained import default_analyst
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant

MOST_SIDE_BY_SIDE: Final = 4
MOST_WAITING: Final = 10_000  # positions; further questions are left to who asks
_MOST_PLAYERS: Final = 4  # that are kept for further questions

MakeAnalyst = Callable[[Query], Analyst]


@dataclass(slots=True, kw_only=True)
class _Task:
    """One turn of a query under way."""

    query: Query
    turn: int
    position: Position
    search: LiveSearch
    threats: Threats | None = None
    reported: float = 0.0  # when


@dataclass(order=True, slots=True)
class _Waiting:
    """One turn of a query that has not begun."""

    rank: tuple[int, int]  # negative priority, then the order of coming
    query: Query = field(compare=False)
    turn: int = field(compare=False)


class Desk:
    """Searches what it is asked.

    desk = Desk(analysts, tell=print)
    desk.add(query)
    while desk.step():
        ...                            # listen for more
    """

    def __init__(
        self,
        make_analyst: MakeAnalyst,
        tell: Callable[[Answer], None],
        *,
        side_by_side: int = MOST_SIDE_BY_SIDE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`tell` gets each answer; at most so many positions are searched side by side."""
        self._make_analyst, self._tell, self._side_by_side, self._clock = make_analyst, tell, side_by_side, clock
        self._numbers = itertools.count()
        self._waiting: list[_Waiting] = []  # a heap
        self._under_way: list[_Task] = []  # the next to be stepped comes first

    @property
    def is_full(self) -> bool:
        """Return True if so many positions wait that no further question should be added now."""
        return len(self._waiting) >= MOST_WAITING

    def add(self, query: Query) -> None:
        """Take a question in; raise GobangError if nobody can analyse it."""
        self._make_analyst(query)
        for turn in query.turns:
            heapq.heappush(self._waiting, _Waiting((-query.priority, next(self._numbers)), query, turn))

    def stop(self, name: str) -> None:
        """End the searches of a query, or all if the name is empty, each with a last answer; what waits is dropped."""
        self._waiting = [each for each in self._waiting if name not in ("", each.query.id)]
        heapq.heapify(self._waiting)
        for task in [task for task in self._under_way if name in ("", task.query.id)]:
            self._finish(task)

    def step(self) -> bool:
        """Search a little more in one position; False when nothing is left."""
        while self._waiting and len(self._under_way) < self._side_by_side:
            first = heapq.heappop(self._waiting)
            self._begin(first.query, first.turn)
        if self._under_way:
            task = self._under_way.pop(0)
            self._under_way.append(task)
            self._advance(task)
        return bool(self._under_way or self._waiting)

    def _begin(self, query: Query, turn: int) -> None:
        position = Position(query.variant, query.moves[:turn])
        if position.outcome != UNDECIDED:
            self._tell(Answer(query=query, turn=turn, position=position, analysis=None, is_last=True))
            return
        threats = find_threats(position) if query.has_threats else None
        search = self._make_analyst(query).analyse(position, query.visits)
        task = _Task(query=query, turn=turn, position=position, search=search, threats=threats, reported=self._clock())
        self._under_way.append(task)

    def _advance(self, task: _Task) -> None:
        if not task.search.step():
            self._finish(task)
        elif task.query.every is not None and self._clock() >= task.reported + task.query.every:
            self._report(task, is_last=False)
            task.reported = self._clock()

    def _finish(self, task: _Task) -> None:
        self._under_way.remove(task)
        self._report(task, is_last=True)

    def _report(self, task: _Task, *, is_last: bool) -> None:
        self._tell(
            Answer(
                query=task.query,
                turn=task.turn,
                position=task.position,
                analysis=task.search.analysis(task.query.most_moves),
                is_last=is_last,
                threats=task.threats,
            )
        )


class Analysts:
    """A cache of players, keyed by text and variant, that holds the last few.

    Texts come from requests, which have no rights: `gobang.players.requested` says which players they may name.
    """

    def __init__(self, player: str, seed: int, *, is_trusted: bool = False) -> None:
        """Use `player`, of the command line, where a request names none; if empty, the board's default.

        With `is_trusted` somebody else has checked the texts of requests.
        """
        self._player, self._seed, self._is_trusted = player, seed, is_trusted
        self._made: dict[tuple[str, Variant], Player] = {}

    def __call__(self, query: Query) -> Analyst:
        """Return the analyst of a query; raise GobangError."""
        return self.analyst(query.variant, query.player)

    def analyst(self, variant: Variant, text: str = "") -> Analyst:
        """Return the analyst of a text, or the default one; raise GobangError."""
        player = self.player(text or self._player or default_analyst(variant), variant)
        if not isinstance(player, Analyst):
            raise InvalidSpec(f"{player.name} has no search to look at: net, uniform and rollout have one")
        return player

    def player(self, text: str, variant: Variant) -> Player:
        """Return the player of a text; raise GobangError."""
        key = text, variant
        player = self._made.pop(key, None) or self._make(text, variant)
        self._made[key] = player  # the last one used stands last
        while len(self._made) > _MOST_PLAYERS:
            self._made.pop(next(iter(self._made))).close()
        return player

    def _make(self, text: str, variant: Variant) -> Player:
        spec = self._parse(text)
        if spec.name == "human":
            raise InvalidSpec(f"{text}: a person cannot be asked here")
        try:
            return make_player(spec, variant, self._seed)
        except OSError as error:
            raise GobangError(f"{text}: {error}") from error

    def _parse(self, text: str) -> PlayerSpec:
        return parse(text) if self._is_trusted else parse_requested(text, granted=(self._player,))
