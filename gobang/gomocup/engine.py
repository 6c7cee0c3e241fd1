"""The engine as a process: lines from a pipe, moves from a player, replies to a pipe.

A thread notes when each line arrives, so that what was spent on earlier commands counts as thinking
time of the move that waited.  The main thread thinks and answers.  The garbage collector runs
between the moves only.
"""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from queue import SimpleQueue
from typing import BinaryIO, Final

from gobang.gomocup.protocol import Conversation, Tell
from gobang.players.player import Analyst, Player, Turn
from gobang.players.spec import PlayerSpec, make_player, parse
from gobang.players.trained import default_player
from gobang.rules.position import Position
from gobang.types import Analysis, Variant

_CHUNK: Final = 65_536  # bytes
_LONGEST_LINE: Final = 4096  # bytes; what is longer is cut
_WARM_UP_SECONDS: Final = 0.02
_TELL_SECONDS: Final = 0.25  # between two reports on a search
_UNTIMED_SIMULATIONS: Final = 2000
_MOST_SIMULATIONS: Final = 1_000_000
_EVEN: Final = 0.5

_Arrival = tuple[bytes, float]  # a line and when it came


class PlayerBrain:
    """A `Brain` around a player that is made anew when the variant or the memory changes.

    Without a `spec` it is the variant's default player.
    """

    def __init__(self, spec: PlayerSpec | None, seed: int) -> None:
        self._spec = spec
        self._seed = seed
        self._player: Player | None = None
        self._made_for: tuple[Variant, PlayerSpec] | None = None

    def prepare(self, variant: Variant, memory_mb: int | None) -> None:
        """Make the player and let it think once, which compiles what is to be compiled."""
        spec = _within_memory(self._spec or parse(default_player(variant)), memory_mb)
        if self._made_for == (variant, spec):
            return
        self.close()
        self._player = make_player(spec, variant, self._seed)
        _warm_up(self._player, variant)
        self._made_for = (variant, spec)
        gc.unfreeze()
        gc.collect()
        gc.freeze()  # modules and tables need never be looked at again

    def choose(self, turn: Turn, tell: Tell | None = None, most: int = 1) -> int:
        """The player's move; a player whose search can be looked at tells what it knows on the way."""
        assert self._player is not None
        if tell is None or not isinstance(self._player, Analyst):
            return self._player.choose([turn])[0]
        found = _search(self._player, turn.position, turn.seconds, tell, most)
        return found.moves[0].point if found.moves else self._player.choose([turn])[0]

    def judge(self, position: Position, seconds: float) -> float:
        """By a search of the player, if it has one that can be looked at."""
        if not isinstance(self._player, Analyst):
            return _EVEN
        found = _search(self._player, position, seconds, lambda analysis, elapsed: None, 1)
        return found.chances[position.to_move] + found.chances[-1] / 2

    def close(self) -> None:
        """Free the player."""
        if self._player is not None:
            self._player.close()
        self._player = self._made_for = None


def serve(conversation: Conversation, source: int, replies: BinaryIO) -> None:
    """Answer the lines of a file descriptor until END or the end of the input."""
    arrivals: SimpleQueue[_Arrival | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(source, arrivals), daemon=True).start()
    gc.disable()
    try:
        while not conversation.ended and (arrival := arrivals.get()) is not None:
            reply = _answer(conversation, *arrival)
            if reply is not None:
                replies.write(reply.encode("ascii") + b"\n")
                replies.flush()
                gc.collect()
    except BrokenPipeError:
        pass  # the manager is gone
    finally:
        gc.unfreeze()
        gc.enable()


def _answer(conversation: Conversation, line: bytes, received: float) -> str | None:
    try:
        return conversation.reply(line.decode("ascii", errors="replace"), received)
    except Exception as error:  # the process's top loop: a manager must get an answer whatever breaks
        logging.getLogger(__name__).exception("while answering %r", line)
        return f"ERROR {type(error).__name__}"


def _listen(source: int, arrivals: SimpleQueue[_Arrival | None]) -> None:
    try:
        for line in _lines(source):
            arrivals.put((line, time.monotonic()))
    finally:
        arrivals.put(None)  # also when the source fails, or the main thread would wait for ever


def _lines(source: int) -> Iterator[bytes]:
    rest = b""
    while chunk := os.read(source, _CHUNK):
        *complete, rest = (rest + chunk).split(b"\n")
        rest = rest[:_LONGEST_LINE]
        yield from complete
    if rest:
        yield rest


def _search(analyst: Analyst, position: Position, seconds: float | None, tell: Tell, most: int) -> Analysis:
    """What a search has found when the time is up, or after a number of simulations if none is set."""
    started = told = time.monotonic()
    search = analyst.analyse(position, _UNTIMED_SIMULATIONS if seconds is None else _MOST_SIMULATIONS)
    while search.step() and (seconds is None or time.monotonic() < started + seconds):
        if time.monotonic() > told + _TELL_SECONDS:
            told = time.monotonic()
            tell(search.analysis(most), told - started)
    found = search.analysis(most)
    tell(found, time.monotonic() - started)
    return found


def _within_memory(spec: PlayerSpec, memory_mb: int | None) -> PlayerSpec:
    """The player with a memory limit, if it knows one and has none that is tighter."""
    values = asdict(spec.options)
    if memory_mb is None or "memory_mb" not in values:
        return spec
    values["memory_mb"] = min(memory_mb, values["memory_mb"] or memory_mb)
    return replace(spec, options=type(spec.options)(**values))


def _warm_up(player: Player, variant: Variant) -> None:
    """Let the player move twice in one game, as its later moves may run other code."""
    position = Position(variant)
    for _ in range(2):
        position.play(player.choose([Turn(game=0, position=position, seconds=_WARM_UP_SECONDS)])[0])
        position.play(int(position.legal().argmax()))
