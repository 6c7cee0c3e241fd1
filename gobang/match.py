"""Games between players: random openings, each played twice, and many games in lock step.

    fixtures = paired(random_openings(variant, plies=2, count=100, seed=1))
    games = play_games(variant, [a, b], fixtures)

Without openings deterministic players would play one game over and over.  Whoever is to move is
asked about all its games at once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Final

import numpy as np

from gobang.errors import IllegalMove, InvalidConfig, PlayerFailure
from gobang.players.player import Player, Turn
from gobang.rules.board import is_win
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, symmetry_class
from gobang.types import EMPTY, UNDECIDED, GameRecord, Variant

NOBODY: Final = -1  # in place of a player
_DRAWS_PER_OPENING: Final = 30  # finds 4 in 5 of the classes that exist, if just as many are wanted
_FEWEST_DRAWS: Final = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Fixture:
    """A game to be played, e.g. `Fixture(opening=(27, 36), seats=(1, 0))`."""

    opening: tuple[int, ...]  # points that are played before anyone chooses
    seats: tuple[int, ...]  # [P] which contestant is player 0, player 1, ...


def random_openings(variant: Variant, plies: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """`count` openings of `plies` random legal moves, after which no side has won or can win at once.

    As far as they exist the positions differ even under the symmetries of the board; then they
    differ as they stand; then they repeat.
    """
    if not 0 <= plies < variant.points:
        raise InvalidConfig(f"opening of {plies} plies: 0 to {variant.points - 1} on this board")
    generator = np.random.default_rng(seed)
    unlike: dict[bytes, tuple[int, ...]] = {}  # by what is the same for symmetric positions
    mirrored: list[tuple[int, ...]] = []  # symmetric to one of those
    seen: set[bytes] = set()
    for _ in range(max(_FEWEST_DRAWS, _DRAWS_PER_OPENING * count)):
        position = _random_position(variant, plies, generator)
        if position is None or position.cells.tobytes() in seen:
            continue
        seen.add(position.cells.tobytes())
        opening = tuple(position.moves)
        if unlike.setdefault(symmetry_class(position), opening) is not opening:
            mirrored.append(opening)
        if len(unlike) == count:
            break
    if not unlike:
        raise InvalidConfig(f"opening of {plies} plies: none found on {variant} that leaves the game open")
    return list(islice(cycle([*unlike.values(), *mirrored]), count))


def paired(openings: list[tuple[int, ...]]) -> list[Fixture]:
    """Each opening twice in a row, the second time with the colours of the two contestants swapped."""
    return [Fixture(opening=opening, seats=seats) for opening in openings for seats in ((0, 1), (1, 0))]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayedGame:
    """A fixture that was played, e.g. `PlayedGame(record=GameRecord(...), choices=(31, 30), ...)`."""

    fixture: Fixture
    record: GameRecord
    failed: int  # player that lost by a failure or an illegal move, or NOBODY; `record.note` says why
    choices: tuple[int, ...]  # [P] how often each player was asked for a move
    seconds: tuple[float, ...]  # [P] each player's thinking time; games asked together share it evenly


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


def _random_position(variant: Variant, plies: int, generator: np.random.Generator) -> Position | None:
    """A position after random moves, or None if it is decided or the next move can decide it."""
    position = Position(variant)
    for _ in range(plies):
        if position.outcome != UNDECIDED:
            return None
        position.play(int(generator.choice(np.flatnonzero(position.legal()))))
    return None if position.outcome != UNDECIDED or _can_win_at_once(position) else position


def _can_win_at_once(position: Position) -> bool:
    variant = position.variant
    if len(position.moves) < variant.players * (variant.k - 1):
        return False  # too few stones of the side to move
    cells = position.cells.copy()
    for point in np.flatnonzero(position.legal()).tolist():
        cells[point] = position.to_move + 1
        if is_win(geometry(variant), cells, point):
            return True
        cells[point] = EMPTY
    return False
