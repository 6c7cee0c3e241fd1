"""The engine's side of the Gomocup protocol: a line comes in, a reply or none goes out.

No pipes and no players here: a `Brain` chooses the moves.  The order is as in the protocol:

    START 15            OK        the brain gets ready
    INFO timeout_turn 5000        limits, rule, memory; never an answer, complaints wait for a move
    BEGIN | TURN 7,7    7,8       a move
    BOARD ... DONE      8,8       any position, its lines in any order
    SWAP2BOARD DONE     7,7 8,8 9,7   three stones that leave both sides the same chances
    SWAP2BOARD ... DONE SWAP      to take black, who has just moved, after three or five stones;
                        8,8       to stay white, with the next one
    YXBOARD ... DONE              a position without a move
    YXNBEST 5           8,8       a move, with the five best as MESSAGE lines
    TAKEBACK 8,8        OK
    STOP                a move that is thought about is played at once
    END
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

import numpy as np

from gobang.errors import GobangError, IllegalMove, InvalidVariant, PlayerFailure
from gobang.gomocup.board import read_board, read_opening, take_back
from gobang.gomocup.detail import BOTH, INFO, NONE, REALTIME, detail_lines
from gobang.gomocup.limits import Allowance, Limits
from gobang.machine import cores_here
from gobang.numbers import read_whole
from gobang.players.gomocup_text import RULES_BY_BITS, read_xy, write_xy
from gobang.players.player import Turn
from gobang.players.swap2 import FIRST_STONES, even_opening, wants_to_swap
from gobang.rules.position import Position
from gobang.types import MAX_SIDE, UNDECIDED, Analysis, Variant

_MEGABYTE: Final = 2**20
_LONGEST_REPLY: Final = 300  # characters
_OPENING_SECONDS: Final = 5.0  # to choose a side where no limit is known
_NO_BOARD: Final = "there is no board yet: START comes first"


Tell = Callable[[Analysis, float], None]  # gets what a search knows after so many seconds
Write = Callable[[str], None]  # takes a line for the manager that is no answer
Close = Callable[[list[str], float], str | None]  # answers the lines of a board that came at a time


class Brain(Protocol):
    """Chooses the moves of the engine: `prepare` before each game, `choose` at each move."""

    def prepare(self, variant: Variant, memory_mb: int | None, threads: int) -> None:
        """Get ready for games of a variant, so that the first move is not slow; raises GobangError."""

    def limit_memory(self, memory_mb: int | None) -> None:
        """Keep to another limit from the next move of the same game on; None is no limit."""

    def choose(self, turn: Turn, tell: Tell | None = None, most: int = 1) -> int:
        """A legal point; raises GobangError.  `tell` gets now and then what is known of the `most` best moves."""

    def judge(self, position: Position, seconds: float) -> float:
        """Points that the side to move can expect, one half where that is not known; raises GobangError."""

    def ponder(self, turn: Turn) -> None:
        """Think about the opponent's turn until a line comes; raises GobangError."""


class Conversation:
    """Everything that a manager and an engine have agreed on so far."""

    def __init__(
        self,
        brain: Brain,
        *,
        k: int,
        rule: str,
        about: str,
        ponders: bool = False,
        write: Write = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ended = False  # by END
        self._brain = brain
        self._k, self._rule = k, rule
        self._about = about
        self._write = write
        self._clock = clock
        self._detail = NONE
        self._ponders = ponders
        self._threads = 1
        self._is_opponents_turn = False  # the last answer was a move
        self._limits = Limits()
        self._memory_mb: int | None = None
        self._bad_rule = ""  # complaints about an INFO, which must wait until a move is asked
        self._bad_setup = ""
        self._size: tuple[int, int] | None = None  # width, height
        self._position: Position | None = None
        self._game = 0  # a new number whenever the board changes other than by moves
        self._board: list[str] | None = None  # lines since BOARD
        self._close: Close = self._play_on  # what DONE does with them
        self._commands: dict[str, Callable[[str, float], str | None]] = {
            "START": self._start,
            "RECTSTART": self._start_rectangle,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "TAKEBACK": self._take_back,
            "BOARD": partial(self._open_board, self._play_on),
            "YXBOARD": partial(self._open_board, self._look_at),
            "SWAP2BOARD": partial(self._open_board, self._choose_side),
            "YXNBEST": self._show_best,
            "DONE": self._close_board,
            "INFO": self._inform,
            "ABOUT": lambda text, received: self._about,
            "YXSTOP": lambda text, received: None,
            "STOP": lambda text, received: None,  # it has stopped the thinking already, see `inbox`
            "END": self._end,
        }

    def reply(self, line: str, received: float) -> str | None:
        """The answer to a line that arrived at a time of the clock, or None where none is due."""
        command, text = [*line.strip().split(maxsplit=1), "", ""][:2]
        command = command.upper()
        self._is_opponents_turn = False
        if self._board is not None and command not in self._commands:
            self._collect(line)
            return None
        if not command:
            return None
        if command not in self._commands or (command == "DONE" and self._board is None):
            return _one_line(f"UNKNOWN {command[:40]}")
        if command not in ("INFO", "DONE"):
            self._board = None  # a board that is not finished is dropped
        try:
            return _one_line(self._commands[command](text, received))
        except GobangError as error:
            return _one_line(f"ERROR {error}")

    def ponder(self) -> None:
        """Think in the opponent's time, if it is asked for and the last answer was a move."""
        position = self._position
        if self._ponders and self._is_opponents_turn and position is not None and position.outcome == UNDECIDED:
            self._brain.ponder(Turn(game=self._game, position=position))

    def _current(self) -> Position:
        """The position, if a move may be asked in it."""
        complaint = self._bad_rule or self._bad_setup
        if complaint:
            raise PlayerFailure(complaint)
        if self._position is None:
            raise IllegalMove(_NO_BOARD)
        return self._position

    def _start(self, text: str, received: float) -> str:
        return self._new_board(text, text)

    def _start_rectangle(self, text: str, received: float) -> str:
        width, _, height = text.partition(",")
        return self._new_board(width, height)

    def _new_board(self, width: str, height: str) -> str:
        self._position = self._size = None  # if the size is refused, no move can be asked
        sides = [_integer(side) for side in (width, height)]
        if sides[0] is None or sides[1] is None:
            raise InvalidVariant(f"{width[:40]!r} by {height[:40]!r} is not a board")
        self._size = sides[0], sides[1]
        self._new_game()
        return "OK"

    def _restart(self, text: str, received: float) -> str:
        self._new_game()
        return "OK"

    def _new_game(self) -> None:
        self._limits.new_match()
        self._set_up()

    def _set_up(self) -> None:
        """Set up an empty board under the present settings, and make the brain ready for it."""
        if self._size is None:
            raise IllegalMove(_NO_BOARD)
        width, height = self._size
        variant = Variant(height=height, width=width, k=self._k, rule=self._rule)
        self._brain.prepare(variant, self._memory_mb, self._threads)
        self._position = Position(variant)
        self._bad_setup = ""
        self._game += 1

    def _begin(self, text: str, received: float) -> str:
        if self._current().moves:
            raise IllegalMove("BEGIN is for an empty board")
        return self._move(received)

    def _turn(self, text: str, received: float) -> str:
        position = self._current()
        position.play(read_xy(position.variant, text))
        return self._move(received)

    def _move(self, received: float, most: int = 0) -> str:
        """The brain's move; with the `most` best ones on the way if that is not 0, or as show_detail has asked."""
        position = self._current()
        if position.outcome != UNDECIDED:
            raise IllegalMove("the game is over")
        allowed = self._allowance(position, received)
        turn = Turn(
            game=self._game,
            position=position,
            seconds=allowed.seconds if allowed else None,
            most_seconds=allowed.most_seconds if allowed else None,
        )
        if most or self._detail != NONE:
            point = self._brain.choose(turn, partial(self._tell, position.copy()), max(1, most))
        else:
            point = self._brain.choose(turn)
        position.play(point)
        self._limits.spend(self._clock() - received)
        self._is_opponents_turn = True
        return write_xy(position.variant, point)

    def _allowance(self, position: Position, received: float) -> Allowance | None:
        """Time to think from now on."""
        elapsed = self._clock() - received
        stones, points = len(position.moves), position.variant.points
        return self._limits.for_move(stones=stones, points=points, elapsed=elapsed)

    def _tell(self, position: Position, analysis: Analysis, seconds: float) -> None:
        for line in detail_lines(position, analysis, seconds, self._detail):
            self._write(line)

    def _show_best(self, text: str, received: float) -> str:
        most = _integer(text)
        if most is None or not 1 <= most <= MAX_SIDE**2:
            raise IllegalMove(f"YXNBEST {text[:40]}: how many, as in YXNBEST 5")
        return self._move(received, most)

    def _take_back(self, text: str, received: float) -> str:
        position = self._current()
        self._position = take_back(position, read_xy(position.variant, text))
        self._game += 1
        return "OK"

    def _open_board(self, close: Close, text: str, received: float) -> None:
        self._board, self._close = [], close

    def _collect(self, line: str) -> None:
        assert self._board is not None
        if line.strip() and len(self._board) <= MAX_SIDE**2:  # one too many is enough to be refused
            self._board.append(line.strip())

    def _close_board(self, text: str, received: float) -> str | None:
        assert self._board is not None
        lines, self._board = self._board, None
        return self._close(lines, received)

    def _look_at(self, lines: list[str], received: float) -> None:
        """Take a position, which is no game yet."""
        self._position = read_board(self._current().variant, lines)
        self._game += 1

    def _play_on(self, lines: list[str], received: float) -> str:
        self._look_at(lines, received)
        return self._move(received)

    def _choose_side(self, lines: list[str], received: float) -> str:
        """Return the next step of swap2, whose time counts like that of a move."""
        variant = self._current().variant
        self._position = position = read_opening(variant, lines)
        self._game += 1
        allowed = self._allowance(position, received)
        seconds = allowed.seconds if allowed else _OPENING_SECONDS
        if position.moves and not wants_to_swap(position, self._brain.judge, seconds / 2):
            return self._move(received)
        answer = "SWAP"
        if not position.moves:
            random = np.random.default_rng()
            self._position = even_opening(position, FIRST_STONES, self._brain.judge, seconds, random)
            answer = " ".join(write_xy(variant, point) for point in self._position.moves)
        self._limits.spend(self._clock() - received)
        return answer

    def _inform(self, text: str, received: float) -> None:
        key, _, value = text.strip().partition(" ")
        number = _integer(value)
        settings: dict[str, Callable[[int], None]] = {
            "timeout_turn": self._limits.set_turn,
            "timeout_match": self._limits.set_match,
            "time_left": self._limits.set_left,
            "rule": self._set_rule,
            "max_memory": self._set_memory,
            "show_detail": self._set_detail,
            "thread_num": self._set_threads,
            "pondering": self._set_pondering,
        }
        if number is not None and key.lower() in settings:
            settings[key.lower()](number)

    def _set_rule(self, bits: int) -> None:
        if bits not in RULES_BY_BITS:
            self._bad_rule = f"rule {bits} is not played here: 0 is freestyle, 1 exactly five, 4 renju, 8 caro"
            return
        self._bad_rule = ""
        self._rule = RULES_BY_BITS[bits]
        self._set_up_again()

    def _set_memory(self, limit: int) -> None:
        """Take INFO max_memory; 0 is no limit, and a negative number is ignored."""
        if limit < 0:
            return
        self._memory_mb = max(1, limit // _MEGABYTE) if limit > 0 else None
        if self._position is not None and self._position.moves:
            self._brain.limit_memory(self._memory_mb)
        self._set_up_again()

    def _set_detail(self, kind: int) -> None:
        self._detail = kind if kind in (REALTIME, INFO, BOTH) else NONE

    def _set_threads(self, threads: int) -> None:
        self._threads = min(max(1, threads), cores_here())
        self._set_up_again()

    def _set_pondering(self, kind: int) -> None:
        self._ponders = kind > 0

    def _set_up_again(self) -> None:
        """Let a setting hold for the game that is to begin; one in progress keeps its own."""
        if self._position is None or self._position.moves:
            return
        try:
            self._set_up()
        except GobangError as error:
            self._bad_setup = str(error)

    def _end(self, text: str, received: float) -> None:
        self.ended = True


def _integer(text: str) -> int | None:
    return read_whole(text.strip())


def _one_line(text: str | None) -> str | None:
    """The text without what could break the line or its encoding."""
    if text is None:
        return None
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text[:_LONGEST_REPLY])
