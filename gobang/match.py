"""Games between two players: each opening played with their seats exchanged, and many games in lock step.

    fixtures = paired(random_openings(variant, plies=2, count=100, seed=1))    # or others of gobang.openings
    games = play_games(variant, [a, b], fixtures)

In a game of three and more one of the two has a single seat and the other all the rest: `arrangements` says how.
Without openings deterministic players would play one game over and over.  Whoever is to move is
asked about all its games at once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from gobang.errors import IllegalMove, InvalidConfig, PlayerFailure
from gobang.players.player import Player, Turn
from gobang.rules.position import Position
from gobang.types import UNDECIDED, GameRecord, Variant

NOBODY: Final = -1  # in place of a player


@dataclass(frozen=True, kw_only=True, slots=True)
class Fixture:
    """A game to be played, e.g. `Fixture(opening=(27, 36), seats=(1, 0))`."""

    opening: tuple[int, ...]  # points that are played before anyone chooses
    seats: tuple[int, ...]  # [P] which contestant is player 0, player 1, ...


def arrangements(players: int) -> tuple[tuple[int, ...], ...]:
    """Who sits where in the games after one opening: 2 of them among two players, 2 P among P > 2.

    Two in a row are a pair, in which the contestants have exchanged their seats.  Among three players contestant 0 is
    alone against two of 1, then 1 against two of 0, first as black, then as white, then as red; so in all games
    together both have as many seats of each colour: (0, 1, 1), (1, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0), (0, 0, 1).
    """
    alone = range(1 if players == 2 else players)
    return tuple(
        tuple(who if seat == single else 1 - who for seat in range(players)) for single in alone for who in (0, 1)
    )


def paired(openings: list[tuple[int, ...]], players: int = 2) -> list[Fixture]:
    """Each opening with all arrangements in a row: of two players twice, the second time with swapped colours."""
    return [Fixture(opening=opening, seats=seats) for opening in openings for seats in arrangements(players)]


def openings_for(games: int, players: int) -> int:
    """How many openings so many games begin with, the last of which may be played in fewer arrangements."""
    return -(-games // len(arrangements(players)))


def whole_rounds(games: int, players: int) -> int:
    """So many games, or as many fewer as play each opening in all arrangements."""
    return games - games % len(arrangements(players))


def check_games(games: int, players: int) -> None:
    """Raise InvalidConfig unless every opening can be played in all arrangements."""
    each = len(arrangements(players))
    if games < each or games % each:
        ways = "twice" if players == 2 else f"in {each} ways: each of the two alone in each of {players} seats"
        number = "an even number" if players == 2 else f"a multiple of {each}"
        raise InvalidConfig(f"--games {games}: {number}, since every opening is played {ways}")


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayedGame:
    """A fixture that was played, e.g. `PlayedGame(record=GameRecord(...), choices=(31, 30), ...)`."""

    fixture: Fixture
    record: GameRecord
    failed: int  # player that lost by a failure or an illegal move, or NOBODY; `record.note` says why
    choices: tuple[int, ...]  # [P] how often each player was asked for a move
    seconds: tuple[float, ...]  # [P] each player's thinking time; games asked together share it evenly

    def points_of(self, contestant: int) -> float:
        """1 if a seat of the contestant won, its share of the seats in a draw, else 0."""
        return self.record.points(*(seat for seat, who in enumerate(self.fixture.seats) if who == contestant))


class _Game:
    """A game in progress."""

    def __init__(self, number: int, fixture: Fixture, variant: Variant) -> None:
        self.number = number
        self.fixture = fixture
        self.position = Position(variant, fixture.opening)
        self.failed = NOBODY
        self.note = ""
        self.choices = [0] * variant.players
        self.seconds = [0.0] * variant.players

    @property
    def is_over(self) -> bool:
        return self.failed != NOBODY or self.position.outcome != UNDECIDED

    @property
    def contestant(self) -> int:
        return self.fixture.seats[self.position.to_move]

    def charge(self, seconds: float) -> None:
        self.choices[self.position.to_move] += 1
        self.seconds[self.position.to_move] += seconds

    def forfeit(self, reason: str) -> None:
        self.failed = self.position.to_move
        self.note = f"player {self.failed}: {reason}"

    def play(self, point: int) -> None:
        try:
            self.position.play(point)
        except IllegalMove as error:
            self.forfeit(f"illegal move, {error}")

    def result(self) -> PlayedGame:
        variant = self.position.variant
        outcome = self.position.outcome if self.failed == NOBODY else _outcome_of_forfeit(variant, self.failed)
        record = GameRecord(
            variant=variant,
            moves=tuple(self.position.moves),
            outcome=outcome,
            opening=len(self.fixture.opening),
            note=self.note,
        )
        return PlayedGame(
            fixture=self.fixture,
            record=record,
            failed=self.failed,
            choices=tuple(self.choices),
            seconds=tuple(self.seconds),
        )


def play_games(
    variant: Variant,
    contestants: Sequence[Player],
    fixtures: Sequence[Fixture],
    on_result: Callable[[int, PlayedGame], None] | None = None,
) -> list[PlayedGame]:
    """Play every fixture and return the games in the order of the fixtures.

    No more games are in progress than the least `games_at_once` among the contestants.  As soon as a
    game is over, `on_result` gets its number and what came of it.  The contestants stay the
    caller's, who closes them.

    A PlayerFailure loses every game that was asked about in the call that raised it, so a program
    that can fail in one game alone has `games_at_once == 1`.  An illegal move loses its game.  With
    two players the other one wins; with more nobody does, and the game is a draw.
    """
    most = min(contestant.games_at_once for contestant in contestants)
    waiting = deque(enumerate(fixtures))
    results: dict[int, PlayedGame] = {}
    games: list[_Game] = []
    while waiting or games:
        while waiting and len(games) < most:
            games.append(_Game(*waiting.popleft(), variant))
        for index, contestant in enumerate(contestants):
            to_move = [game for game in games if not game.is_over and game.contestant == index]
            if to_move:
                _move(contestant, to_move)
        for game in games:
            if game.is_over:
                results[game.number] = game.result()
                if on_result is not None:
                    on_result(game.number, results[game.number])
        games = [game for game in games if not game.is_over]
    return [results[number] for number in range(len(fixtures))]


def _move(contestant: Player, games: list[_Game]) -> None:
    """Let a contestant make its move in each of the games."""
    turns = [Turn(game=game.number, position=game.position) for game in games]
    start = time.perf_counter()
    try:
        moves, failure = contestant.choose(turns), None
    except PlayerFailure as error:
        moves, failure = [], str(error)
    seconds = (time.perf_counter() - start) / len(games)
    for game in games:
        game.charge(seconds)
        if failure is not None:
            game.forfeit(failure)
    if failure is None:
        for game, point in zip(games, moves, strict=True):
            game.play(int(point))


def _outcome_of_forfeit(variant: Variant, failed: int) -> int:
    return 1 - failed if variant.players == 2 else variant.draw
