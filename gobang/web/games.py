"""The games that are played on the page: whose turn it is, who sits where, what has gone wrong.

A game lives as long as the server; the page keeps its moves, and brings a game back that a new server does not know.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gobang.analysis.query import Json
from gobang.analysis.rows import winning_row
from gobang.errors import GobangError, IllegalMove, InvalidConfig, InvalidSpec
from gobang.players.requested import parse_requested
from gobang.players.trained import default_player, trained_names
from gobang.rules.position import Position, parse_point, point_name
from gobang.types import EMPTY, UNDECIDED, Variant
from gobang.versions import BEST, LATEST
from gobang.web.opening import Opening

HUMAN: Final = "human"
DEFAULT: Final = "default"  # the player that the board suggests
RUN: Final = "run:"  # before "latest" or "best": the weights of the run that is watched, and options
MOST_GAMES: Final = 500
_LONGEST_SEAT: Final = 300  # characters


class StaleMove(GobangError):
    """A move for a position that is no longer there, as another tab has played on."""


@dataclass(slots=True, kw_only=True)
class Game:
    """A game in progress; who changes it calls `touch`."""

    id: str
    position: Position
    seats: list[str]  # [P] HUMAN or the text of a player
    opening: Opening = field(default_factory=Opening)
    is_paused: bool = False  # no player is asked
    request: int | None = None  # what the program of moves has been asked
    since: float = 0.0  # when it began to think, seconds of the epoch; 0 while it has not
    trouble: str = ""  # why no move came
    version: str = ""  # of a run's weights, which the player asked last plays with
    seconds: dict[int, float] = field(default_factory=dict)  # that players took, by ply
    revision: int = 0

    @property
    def actor(self) -> int:
        """The seat whose turn it is to move, or to choose a colour."""
        return self.position.to_move if self.opening.is_over else self.opening.actor(len(self.position.moves))

    @property
    def choices(self) -> list[str]:
        """What the actor of an opening may choose; nothing where a move is due."""
        return self.opening.choices(len(self.position.moves))

    @property
    def awaited(self) -> str | None:
        """The text of the player whose turn it is; None if a person's, or nobody's."""
        seat = self.seats[self.actor]
        return None if seat == HUMAN or self.is_paused or self.position.outcome != UNDECIDED else seat

    @property
    def names(self) -> list[str]:
        """Its moves as the page writes them."""
        return [point_name(self.position.variant, point) for point in self.position.moves]

    def touch(self) -> None:
        """Note that something has changed."""
        self.revision += 1

    def play(self, name: str, ply: int | None = None) -> None:
        """Play a point; StaleMove if the game is not at that ply, IllegalMove."""
        if ply is not None and ply != len(self.position.moves):
            raise StaleMove(f"the game is at move {len(self.position.moves)}, not at {ply}")
        if self.choices:
            raise IllegalMove("first a colour is to be chosen")
        self.position.play(parse_point(self.position.variant, name))
        self.trouble = ""
        self.touch()

    def choose(self, choice: str) -> None:
        """Take a colour in the opening, or let two stones more be put; IllegalMove."""
        if self.opening.choose(choice, len(self.position.moves)):
            self.seats.reverse()
        self.trouble = ""
        self.touch()

    def take_back(self, ply: int) -> None:
        """Go back to a ply; a player whose move it then is waits to be asked."""
        if ply < self.opening.settled:
            raise IllegalMove(f"the opening is settled: its {self.opening.settled} stones stay")
        if not 0 <= ply < len(self.position.moves):
            raise IllegalMove(f"there is nothing to take back to move {ply}: the game is at {len(self.position.moves)}")
        while len(self.position.moves) > ply:
            self.position.undo()
        self.is_paused = self.seats[self.actor] != HUMAN
        self.trouble = ""
        self.touch()

    def as_json(self) -> Json:
        """All that the page shows of it."""
        position, variant = self.position, self.position.variant
        return {
            "id": self.id,
            "revision": self.revision,
            **variant_json(variant),
            "moves": self.names,
            "toMove": position.to_move,
            "actor": self.actor,
            "opening": self.opening.rule,
            "chosen": self.opening.chosen,
            "choices": self.choices,
            "settled": self.opening.settled,
            "outcome": outcome_json(position),
            "row": [point_name(variant, point) for point in winning_row(position)],
            "forbidden": forbidden_points(position),
            "seats": self.seats,
            "paused": self.is_paused,
            "thinking": round(self.since, 1) if self.request is not None and self.since else None,
            "trouble": self.trouble,
            "version": self.version,
            "seconds": self.seconds,
        }


class Games:
    """All games of the server, the one touched last at the end."""

    def __init__(self) -> None:
        self._games: dict[str, Game] = {}

    def __getitem__(self, name: str) -> Game:
        """A game by its id; KeyError."""
        game = self._games.pop(name)
        self._games[name] = game
        return game

    def __contains__(self, name: str) -> bool:
        return name in self._games

    def __iter__(self) -> Iterator[Game]:
        return iter(list(self._games.values()))

    def new(self, position: Position, seats: Sequence[object], opening: Opening, name: str = "") -> Game:
        """Begin a game, under an id of its own or the one that it had; InvalidSpec and InvalidConfig for the seats."""
        seats = read_seats(seats, position.variant)
        game = Game(id=name or secrets.token_hex(6), position=position, seats=seats, opening=opening)
        self._games[game.id] = game
        while len(self._games) > MOST_GAMES:
            self._games.pop(next(iter(self._games)))
        return game


def read_seats(seats: Sequence[object], variant: Variant) -> list[str]:
    """Return the seats with DEFAULT replaced by a player; raise InvalidSpec and InvalidConfig."""
    if len(seats) != variant.players:
        raise InvalidConfig(f"seats of {len(seats)}: the game is for {variant.players}")
    return [_read_seat(seat, variant) for seat in seats]


def _read_seat(seat: object, variant: Variant) -> str:
    if not isinstance(seat, str) or not 0 < len(seat) <= _LONGEST_SEAT:
        raise InvalidConfig(f"seat {str(seat)[:40]!r}: human, default or a player such as uniform:sims=400")
    if seat == DEFAULT:
        return default_player(variant)
    if seat.startswith(RUN):
        _check_weights_of_run(seat)
    elif seat != HUMAN:
        parse_requested(seat)
    return seat


def _check_weights_of_run(seat: str) -> None:
    """Raise InvalidSpec unless the seat is a network of the run that is watched, with options for requests."""
    which, comma, options = seat.removeprefix(RUN).partition(",")
    if which not in (BEST, LATEST):
        raise InvalidSpec(f"{seat}: {RUN}{BEST} or {RUN}{LATEST}")
    parse_requested(f"net:{trained_names()[0]}{comma}{options}")  # with a network that is known in place of the run's


def variant_json(variant: Variant) -> Json:
    """A game with the names of `gobang analyse`."""
    return {
        "boardXSize": variant.width,
        "boardYSize": variant.height,
        "k": variant.k,
        "rules": variant.rule,
        "players": variant.players,
    }


def outcome_json(position: Position) -> Json | None:
    """How a game ended; None while it goes on."""
    if position.outcome == UNDECIDED:
        return None
    is_draw = position.outcome == position.variant.draw
    return {"winner": None if is_draw else position.outcome}


def forbidden_points(position: Position) -> list[str]:
    """The empty points that the side to move may not play."""
    if position.outcome != UNDECIDED:
        return []
    barred = (position.cells == EMPTY) & ~position.legal()
    return [point_name(position.variant, int(point)) for point in barred.nonzero()[0]]


def now() -> float:
    """Seconds of the epoch."""
    return time.time()
