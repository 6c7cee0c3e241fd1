"""A strict referee of the Gomocup protocol, which checks the form, the legality and the time of each reply.

    python -m tests.gomocup.referee --games 100 --ms 100        the engine of this tree, on 15x15
    python -m tests.gomocup.referee --engine DIR/pbrain-gobang/pbrain-gobang --cold --noise

The other side answers at once, or takes as long as `--pause` says: in that time an engine with an empty cache compiles,
while a simple player stands in for it.  With noise there are between the moves questions, nonsense, taking back, boards
that are set up anew, games that are broken off and openings by swap2; a fence after each shows that nothing more was
said.
"""

from __future__ import annotations

import argparse
import random
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from gobang.command_line import add_game_options, variant_of
from gobang.errors import IllegalMove, PlayerFailure
from gobang.players.engine_process import EngineProcess
from gobang.players.gomocup_text import RULE_BITS, read_xy, write_xy
from gobang.players.pattern import PatternPlayer
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant

START_SECONDS: Final = 30.0  # after which managers give an engine up
_PATIENCE: Final = 300.0  # seconds, so that what is late is measured
_TALK: Final = re.compile(r"(MESSAGE|DEBUG|INFO) [ -~]*")
_MOVE: Final = re.compile(r"(0|[1-9][0-9]?),(0|[1-9][0-9]?)")
_ABOUT: Final = re.compile(r'[a-z]+="[^"]*"(, [a-z]+="[^"]*")*')
_RANDOM_MOVES: Final = 0.2  # of the other side; the rest follow its patterns, so that games last


class Fault(Exception):
    """What an engine must not do."""


@dataclass(slots=True)
class Record:
    """What the referee has seen."""

    games: int = 0
    noises: int = 0
    start_ms: float = 0.0
    moves_ms: list[float] = field(default_factory=list)

    def report(self, ms: int) -> str:
        """One line on all moves, e.g. "12 games, 160 moves at 100 ms: p50 90 ms, p99 97 ms, latest 98 ms, 0 late"."""
        p50, p99 = np.percentile(self.moves_ms, [50, 99])
        late = sum(each > ms for each in self.moves_ms)
        return (
            f"OK after {self.start_ms / 1000:.1f} s; {self.games} games, {len(self.moves_ms)} moves at {ms} ms, "
            f"{self.noises} other commands: p50 {p50:.0f} ms, p99 {p99:.0f} ms, latest {max(self.moves_ms):.0f} ms, "
            f"{late} late"
        )


class Referee:
    """Plays games of one variant against one engine, from `start` to `close`; raises Fault."""

    def __init__(
        self, command: str, variant: Variant, *, ms: int, seed: int, is_noisy: bool, pause_ms: int = 0
    ) -> None:
        self.record = Record()
        self._variant = variant
        self._random = random.Random(seed)
        self._opponent = PatternPlayer(variant, seed)
        self._is_noisy = is_noisy
        self._ms, self._pause_ms = ms, pause_ms
        self._started = time.monotonic()
        self._engine = EngineProcess(command)

    def start(self) -> None:
        """Wait for the engine to be ready, and tell it rule and time."""
        self._expect(f"RECTSTART {self._variant.width},{self._variant.height}", "OK")
        self.record.start_ms = 1000 * (time.monotonic() - self._started)
        rule = RULE_BITS[self._variant.rule]
        for line in (f"rule {rule}", "timeout_match 0", f"timeout_turn {self._ms}", "game_type 1"):
            self._engine.send(f"INFO {line}")

    def close(self) -> None:
        """Let the engine end."""
        self._engine.close("END")

    def play(self, *, engine_first: bool) -> int:
        """One game, which noise may break off; returns its outcome or UNDECIDED."""
        self._expect("RESTART", "OK")
        position = Position(self._variant)
        if self._is_noisy and self._random.random() < 0.2:
            self._choose_side()
            self._expect("RESTART", "OK")
        if engine_first:
            self._take_move(position, "BEGIN")
        while position.outcome == UNDECIDED:
            if self._is_noisy and self._random.random() < 0.02:
                break
            position.play(self._other_move(position))
            if position.outcome == UNDECIDED:
                self._take_move(position, *self._question(position))
                if self._is_noisy and position.outcome == UNDECIDED:
                    self._make_noise(position)
        self.record.games += 1
        return position.outcome

    def _other_move(self, position: Position) -> int:
        time.sleep(self._pause_ms / 1000)  # it thinks
        if self._random.random() < _RANDOM_MOVES:
            return self._random.choice(np.flatnonzero(position.legal()).tolist())
        return self._opponent.choose([Turn(game=0, position=position)])[0]

    def _question(self, position: Position) -> list[str]:
        """The lines that ask for a move after the other side's."""
        turn = f"TURN {write_xy(self._variant, position.last_move)}"
        kind = self._random.random() if self._is_noisy else 1.0
        if kind < 0.1:
            return ["BOARD", *self._stones(position), "DONE"]
        if kind < 0.15:
            return ["YXBOARD", *self._stones(position), "DONE", "YXNBEST 3"]
        return [turn, "STOP"] if kind < 0.2 else [turn]

    def _stones(self, position: Position) -> list[str]:
        """The stones in the order of play, as the one to move sees them."""
        owners = [1 + (int(position.cells[point]) - 1 != position.to_move) for point in position.moves]
        return [f"{write_xy(self._variant, at)},{owner}" for at, owner in zip(position.moves, owners, strict=True)]

    def _take_move(self, position: Position, *lines: str) -> None:
        """Ask for a move, and play it on the referee's board."""
        asked = time.monotonic()
        for line in lines:
            self._engine.send(line)
        answer = self._answer(lines[0], _PATIENCE)
        self.record.moves_ms.append(1000 * (time.monotonic() - asked))
        if not _MOVE.fullmatch(answer):
            raise Fault(f"{lines}: {answer!r} is no move")
        try:
            position.play(read_xy(self._variant, answer))
        except IllegalMove as error:
            raise Fault(f"{lines}: {answer}: {error}\n{position}") from error

    def _choose_side(self) -> None:
        """An opening by swap2, of which the form is checked."""
        count = self._random.choice((0, 3, 5))
        stones = self._random.sample(range(self._variant.points), count)
        for line in ("SWAP2BOARD", *(write_xy(self._variant, point) for point in stones), "DONE"):
            self._engine.send(line)
        words = self._answer("SWAP2BOARD", _PATIENCE).split(" ")
        points = [] if words == ["SWAP"] and count else [read_xy(self._variant, word) for word in words]
        if len({*points, *stones}) != len(points) + count or len(points) not in ((3,) if not count else (0, 1)):
            raise Fault(f"SWAP2BOARD with {count} stones: {words}")
        self.record.noises += 1

    def _make_noise(self, position: Position) -> None:
        """What must be answered and must change nothing, or be undone; the engine has just moved."""
        last, before = (write_xy(self._variant, point) for point in (position.moves[-1], position.moves[-2]))
        noise = self._random.choice(("about", "unknown", "error", "silent", "back", "none", "none"))
        if noise == "unknown":
            self._expect(self._random.choice(("PLEASE", "DONE", "TURNS 1,1", "\xff\x00", "7,7", "BOARDS")), "UNKNOWN")
        elif noise == "error":
            bad = ("TURN", "TURN x,y", "TURN 99,99", f"TURN {last}", "TAKEBACK 99,0", "BEGIN", "YXNBEST x")
            self._expect(self._random.choice(bad), "ERROR")
        elif noise == "silent":
            for line in ("", "INFO nothing 1", "INFO time_left 2147483647", "INFO evaluate 1,1", "INFO x", "YXSTOP"):
                self._engine.send(line)
        elif noise == "back" and len(position.moves) > 2:
            for point in (last, before):
                self._expect(f"TAKEBACK {point}", "OK")
            position.undo()
            position.undo()
        self.record.noises += noise != "none"
        self._fence()

    def _fence(self) -> None:
        """The next answer is that to the next question."""
        self._engine.send("ABOUT")
        if not _ABOUT.fullmatch(answer := self._answer("ABOUT", _PATIENCE)):
            raise Fault(f"ABOUT: {answer!r}")

    def _expect(self, line: str, word: str) -> None:
        self._engine.send(line)
        answer = self._answer(line, _PATIENCE)
        if answer != word if word == "OK" else not answer.startswith(word):
            raise Fault(f"{line!r}: {answer!r} instead of {word}")

    def _answer(self, line: str, seconds: float) -> str:
        """The next line that is not talk."""
        deadline = time.monotonic() + seconds
        try:
            while _TALK.fullmatch(answer := self._engine.read_line(deadline)):
                pass
        except PlayerFailure as error:
            raise Fault(f"{line!r}: {error}") from error
        return answer


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games and report; 1 after a fault or a late move."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.gomocup.referee",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own = shlex.join([sys.executable, "-m", "gobang.gomocup"])
    parser.add_argument("--engine", default=own, help="the command that starts it (the engine of this tree)")
    add_game_options(parser)
    parser.add_argument("--ms", type=int, default=100, help="time for a turn (%(default)s)")
    parser.add_argument("--games", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--cold", action="store_true", help="with an empty cache of kernels")
    parser.add_argument(
        "--pause", type=int, default=0, metavar="MS", help="the other side's time for a move (%(default)s)"
    )
    parser.add_argument("--noise", action="store_true", help="other commands between the moves")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gobang-referee-") as folder:
        command = f"env NUMBA_CACHE_DIR={folder} {options.engine}" if options.cold else options.engine
        try:
            return _referee(command, options)
        except Fault as fault:
            sys.stdout.write(f"fault: {fault}\n")
            return 1


def _referee(command: str, options: argparse.Namespace) -> int:
    referee = Referee(
        command,
        variant_of(options),
        ms=options.ms,
        seed=options.seed,
        is_noisy=options.noise,
        pause_ms=options.pause,
    )
    try:
        referee.start()
        for game in range(options.games):
            referee.play(engine_first=game % 2 == 0)
    finally:
        referee.close()
    sys.stdout.write(referee.record.report(options.ms) + "\n")
    record = referee.record
    return int(max(record.moves_ms) > options.ms or record.start_ms > 1000 * START_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
