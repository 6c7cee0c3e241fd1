"""A player that is another program, spoken to in the Gomocup protocol.

The program keeps the board.  A game that goes on move by move is continued with TURN; anything else,
such as a given opening, another game or a program that had to be started anew, is set up with BOARD.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from typing import Final

from gobang.errors import IllegalMove, InvalidSpec, PlayerFailure
from gobang.players.engine_process import EngineProcess
from gobang.players.gomocup_text import (
    NO_MATCH_LIMIT,
    OPPONENT,
    OWN,
    RULE_BITS,
    TWO_PLAYERS,
    read_pair,
    read_xy,
    write_xy,
)
from gobang.players.options import GomocupOptions
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import Variant

_AGAINST_A_PROGRAM: Final = 1  # of INFO game_type


class GomocupPlayer:
    """An engine in another process, started by `start` or at the first move, and again after each failure."""

    games_at_once = 1

    def __init__(self, options: GomocupOptions, variant: Variant) -> None:
        self.name = f"gomocup:{options.command}"
        self._options = options
        self._variant = variant
        self._engine: EngineProcess | None = None
        self._turn_ms = 0  # what the engine was told last
        self._game: int | None = None  # that the engine has on its board, with these moves:
        self._moves: list[int] = []
        self._is_fresh = False  # whether the engine has been asked nothing yet

    def start(self) -> None:
        """Start the engine; raises PlayerFailure if it does not answer as one."""
        try:
            self._start()
        except PlayerFailure as error:
            self._drop()
            raise PlayerFailure(f"{self.name}: {error}") from error

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The engine's answer to each turn; raises PlayerFailure with the engine's last words."""
        return [self._choose(turn) for turn in turns]

    def close(self) -> None:
        """Tell the engine to end, and end it if it does not."""
        if self._engine is not None:
            self._engine.close("END")
        self._engine = None

    def _choose(self, turn: Turn) -> int:
        try:
            point = self._ask(turn)
            turn.position.check(point)
        except (PlayerFailure, IllegalMove) as error:
            self._drop()
            raise PlayerFailure(f"{self.name}: {error}") from error
        self._game, self._moves = turn.game, [*turn.position.moves, point]
        return point

    def _ask(self, turn: Turn) -> int:
        position = turn.position
        seconds = self._options.timeout if turn.seconds is None else turn.seconds
        engine, is_new = self._ready(turn)
        engine.discard_lines()
        self._tell_time(engine, seconds)
        if not is_new:
            engine.send(f"TURN {write_xy(self._variant, position.moves[-1])}")
        elif not position.moves:
            engine.send("BEGIN")
        else:
            _send_board(engine, position)
        return self._await_move(engine, time.monotonic() + seconds + self._options.grace)

    def _ready(self, turn: Turn) -> tuple[EngineProcess, bool]:
        """An engine, and whether its board is empty; if not, it lacks just the last move."""
        engine = self._engine or self._start()
        if self._is_fresh:
            self._is_fresh = False
            return engine, True
        moves = turn.position.moves
        if turn.game == self._game and moves and moves[:-1] == self._moves:
            return engine, False
        if not self._restarts(engine):
            self.close()
            engine = self._start()
            self._is_fresh = False
        return engine, True

    def _restarts(self, engine: EngineProcess) -> bool:
        """Whether the engine clears its board; it need not know the command, and may have died meanwhile."""
        engine.discard_lines()
        engine.send("RESTART")
        try:
            return self._await_answer(engine).upper().startswith("OK")
        except PlayerFailure:
            return False

    def _start(self) -> EngineProcess:
        self._engine = engine = EngineProcess(self._options.command)
        height, width = self._variant.height, self._variant.width
        engine.send(f"START {width}" if height == width else f"RECTSTART {width},{height}")
        answer = self._await_answer(engine)
        if not answer.upper().startswith("OK"):
            raise PlayerFailure(f"answers {answer[:200]!r} to a board of {width}x{height}")
        self._turn_ms = 0
        engine.send("INFO timeout_match 0")
        engine.send(f"INFO time_left {NO_MATCH_LIMIT}")
        engine.send(f"INFO game_type {_AGAINST_A_PROGRAM}")
        engine.send(f"INFO rule {RULE_BITS[self._variant.rule]}")
        engine.send(f"INFO folder {tempfile.gettempdir()}")
        self._is_fresh = True
        return engine

    def _tell_time(self, engine: EngineProcess, seconds: float) -> None:
        turn_ms = max(1, round(1000 * seconds))  # 0 would mean: at once
        if turn_ms != self._turn_ms:
            engine.send(f"INFO timeout_turn {turn_ms}")
            self._turn_ms = turn_ms

    def _await_answer(self, engine: EngineProcess) -> str:
        """The next line that is not just talk."""
        deadline = time.monotonic() + self._options.start
        while _is_talk(answer := engine.read_line(deadline)):
            pass
        return answer

    def _await_move(self, engine: EngineProcess, deadline: float) -> int:
        while True:
            answer = engine.read_line(deadline).strip()
            if read_pair(answer) is not None:
                return read_xy(self._variant, answer)
            if answer.upper().startswith("SUGGEST "):
                engine.send(f"PLAY {answer[8:].strip()}")
            elif not _is_talk(answer):
                raise PlayerFailure(f"answers {answer[:200]!r} where a move is due")

    def _drop(self) -> None:
        if self._engine is not None:
            self._engine.kill()
        self._engine = self._game = None


def _is_talk(line: str) -> bool:
    return line.lstrip().upper().startswith(("MESSAGE", "DEBUG"))


def _send_board(engine: EngineProcess, position: Position) -> None:
    """The stones in the order of play, each as the mover's own or the opponent's."""
    engine.send("BOARD")
    for point in position.moves:
        owner = OWN if position.cells[point] == position.to_move + 1 else OPPONENT
        engine.send(f"{write_xy(position.variant, point)},{owner}")
    engine.send("DONE")


def make_gomocup(options: GomocupOptions, variant: Variant, seed: int) -> GomocupPlayer:
    """Make the player `gomocup`; what cannot be started is known before the first game."""
    if variant.players != 2:
        raise InvalidSpec(f"gomocup:{options.command}: {TWO_PLAYERS}, not {variant.players}")
    player = GomocupPlayer(options, variant)
    player.start()
    return player
