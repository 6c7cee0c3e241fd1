"""The engine as a process: lines from a pipe, moves from a player, replies to a pipe.

The main thread thinks and answers; what an `Inbox` hears meanwhile may end its thinking.  What was spent
on earlier commands counts as thinking time of the move that waited.  The garbage collector runs between
the moves only.
"""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import BinaryIO, Final

from gobang.compiling import IsCold, refuses_to_compile
from gobang.gomocup.cold_start import ColdStart
from gobang.gomocup.inbox import Inbox
from gobang.gomocup.protocol import Conversation, Tell, Write
from gobang.machine import available_mb, resident_mb
from gobang.players.clock import think
from gobang.players.player import Analyst, MemoryLimited, Player, Ponderer, Turn, always
from gobang.players.spec import PlayerSpec, make_player, parse, resolve
from gobang.players.trained import default_player
from gobang.players.warm_up import play_anywhere, warm_up
from gobang.rules.position import Position
from gobang.search.trees.config import MOST_SIMULATIONS
from gobang.types import Analysis, Variant

_SECONDS_TO_MAKE_A_PLAYER: Final = 4.0  # with a network, and all kernels compiled
_SECONDS_WITHOUT_LIMIT: Final = 1.0  # for a move, if neither the manager nor the player limits it
_TELL_SECONDS: Final = 0.25  # between two reports on a search
_UNTIMED_SIMULATIONS: Final = 2000
_EVEN: Final = 0.5
_GROWTH_MB: Final = 24  # by which a warm process still grows beside its trees
_LEAST_TREES_MB: Final = 16  # some thousand nodes, even if the limit leaves no room for them
_MOST_OF_AVAILABLE: Final = 0.75  # of the machine's free memory, which no limit exceeds


class PlayerBrain:
    """A `Brain` around a player that is made anew when the variant or the threads change.

    Without a `spec` it is the variant's default player.
    """

    def __init__(
        self,
        spec: PlayerSpec | None,
        seed: int,
        *,
        may_think: Callable[[], bool] = always,
        may_ponder: Callable[[], bool] = always,
        write: Write = lambda line: None,
    ) -> None:
        """The player goes on thinking, and pondering, as long as it may; `write` takes lines for the manager."""
        self._spec = spec
        self._seed = seed
        self._may_think = may_think
        self._may_ponder = may_ponder
        self._write = write
        self._player: Player | None = None
        self._cold_start: ColdStart | None = None  # while its stand-in is the player
        self._made_for: tuple[Variant, PlayerSpec] | None = None
        self._own_mb = 0  # resident memory of the process with a warm player and hardly any tree
        self._memory_mb: int | None = None  # the limit that the trees were made for
        self._told_mb: int | None = None  # the last limit that was called too low

    def prepare(self, variant: Variant, memory_mb: int | None, threads: int) -> None:
        """Make the player and let it think once; where it would have to compile, a stand-in."""
        spec = resolve(self._spec or parse(default_player(variant)), variant)
        spec = _with_threads(spec, threads)
        if self._made_for == (variant, spec):
            self._end_cold_start()
            self.limit_memory(memory_mb)
            return
        self.close()
        try:
            with refuses_to_compile():
                play_anywhere(Position(variant))  # before a network is loaded in vain
                self._player = self._make(spec, variant)
        except IsCold:
            self._write("MESSAGE compiling kernels, once on this machine; until that is done a simple player moves")
            self._cold_start = ColdStart(spec, variant, self._seed)
            self._player = self._cold_start.stand_in
        self._made_for = (variant, spec)
        self.limit_memory(memory_mb)
        gc.unfreeze()
        gc.collect()
        gc.freeze()  # modules and tables need never be looked at again

    def limit_memory(self, memory_mb: int | None) -> None:
        """Keep the process within `memory_mb` from the next move on; None is no limit."""
        if memory_mb == self._memory_mb:
            return
        self._memory_mb = memory_mb
        self._limit_trees()

    def choose(self, turn: Turn, tell: Tell | None = None, most: int = 1) -> int:
        """The player's move; a player whose search can be looked at tells what it knows on the way."""
        start = time.monotonic()
        turn = replace(turn, seconds=self._seconds(turn), may_go_on=self._may_think)
        if turn.seconds is None or turn.seconds > _SECONDS_TO_MAKE_A_PLAYER:
            self._end_cold_start()
        assert self._player is not None
        turn = _later(turn, time.monotonic() - start)
        if tell is None or not isinstance(self._player, Analyst):
            return self._player.choose([turn])[0]
        found = _search(self._player, turn, tell, most)
        return found.moves[0].point if found.moves else self._player.choose([turn])[0]

    def judge(self, position: Position, seconds: float) -> float:
        """By a search of the player, if it has one that can be looked at."""
        if not isinstance(self._player, Analyst):
            return _EVEN
        turn = Turn(game=0, position=position, seconds=seconds, may_go_on=self._may_think)
        found = _search(self._player, turn, lambda analysis, elapsed: None, 1)
        return found.chances[position.to_move] + found.chances[-1] / 2

    def ponder(self, turn: Turn) -> None:
        """Let a player that can think about the opponent's turn; a stand-in cannot."""
        if isinstance(self._player, Ponderer):
            self._player.ponder(replace(turn, may_go_on=self._may_ponder))

    def close(self) -> None:
        """Free the player."""
        if self._cold_start is not None:
            self._cold_start.close()
        elif self._player is not None:
            self._player.close()
        self._player = self._cold_start = self._made_for = self._memory_mb = None

    def _make(self, spec: PlayerSpec, variant: Variant) -> Player:
        player = make_player(spec, variant, self._seed)
        if isinstance(player, MemoryLimited):
            player.limit_memory(_LEAST_TREES_MB)  # its memory is measured before its trees get their share
        warm_up(player, variant)
        self._own_mb = resident_mb()
        if isinstance(player, MemoryLimited):
            player.limit_memory(None)
        return player

    def _limit_trees(self) -> None:
        """Give the trees what the limit leaves; complain once about a limit that leaves too little."""
        player, limit = self._player, self._memory_mb
        if not isinstance(player, MemoryLimited):
            return
        if limit is None:
            player.limit_memory(None)
            return
        needed = self._own_mb + _GROWTH_MB + _LEAST_TREES_MB
        if limit < needed and limit != self._told_mb:
            self._told_mb = limit
            self._write(f"MESSAGE max_memory of {limit} MB is too low: {needed} MB are used, with the smallest tree")
        trees = min(limit - self._own_mb - _GROWTH_MB, int(_MOST_OF_AVAILABLE * available_mb()))
        player.limit_memory(max(_LEAST_TREES_MB, trees))

    def _end_cold_start(self) -> None:
        """Put the real player in the stand-in's place, if there is one and what it needs is compiled."""
        if self._cold_start is None or not self._cold_start.is_over():
            return
        assert self._made_for is not None
        variant, spec = self._made_for
        self._cold_start.close()
        self._cold_start = None
        self._player = self._make(spec, variant)
        self._limit_trees()

    def _seconds(self, turn: Turn) -> float | None:
        """Time for a move, by the manager, or else by the player, or else by us."""
        assert self._made_for is not None
        if turn.seconds is None and getattr(self._made_for[1].options, "ms", None) is None:
            return _SECONDS_WITHOUT_LIMIT
        return turn.seconds


def serve(conversation: Conversation, inbox: Inbox, replies: BinaryIO) -> None:
    """Answer lines until END or the end of the input, and ponder while there are none."""
    gc.disable()
    try:
        while not conversation.ended and (arrival := inbox.take()) is not None:
            reply = _answer(conversation, *arrival)
            if reply is not None:
                write_line(replies, reply)
                gc.collect()
                _ponder(conversation)
    except BrokenPipeError:
        pass  # the manager is gone
    finally:
        gc.unfreeze()
        gc.enable()


def write_line(replies: BinaryIO, text: str) -> None:
    """Let the manager read a line at once."""
    replies.write(text.encode("ascii") + b"\n")
    replies.flush()


def _answer(conversation: Conversation, line: bytes, received: float) -> str | None:
    try:
        return conversation.reply(line.decode("ascii", errors="replace"), received)
    except Exception as error:  # the process's top loop: a manager must get an answer whatever breaks
        logging.getLogger(__name__).exception("while answering %r", line)
        return f"ERROR {type(error).__name__}"


def _ponder(conversation: Conversation) -> None:
    try:
        conversation.ponder()
    except Exception:  # the process's top loop: nobody waits for what has failed here
        logging.getLogger(__name__).exception("while pondering")


def _search(analyst: Analyst, turn: Turn, tell: Tell, most: int) -> Analysis:
    """What a search has found when the time is up, or after a number of simulations if none is set."""
    started = told = time.monotonic()
    search = analyst.analyse(turn.position, _UNTIMED_SIMULATIONS if turn.seconds is None else MOST_SIMULATIONS)

    def tell_and_go_on() -> bool:
        nonlocal told
        if time.monotonic() > told + _TELL_SECONDS:
            told = time.monotonic()
            tell(search.analysis(most), told - started)
        return turn.may_go_on()

    left = _later(turn, time.monotonic() - started)
    think(lambda: search, left.seconds, tell_and_go_on, left.most_seconds)
    found = search.analysis(most)
    tell(found, time.monotonic() - started)
    return found


def _later(turn: Turn, passed: float) -> Turn:
    """A turn of which some seconds have passed."""
    seconds, most = turn.seconds, turn.most_seconds
    return replace(
        turn,
        seconds=None if seconds is None else seconds - passed,
        most_seconds=None if most is None else most - passed,
    )


def _with_threads(spec: PlayerSpec, threads: int) -> PlayerSpec:
    """The player with the manager's number of threads, if it knows one and has been given none itself."""
    values = asdict(spec.options)
    if threads == 1 or values.get("threads") != 1:
        return spec
    return replace(spec, options=type(spec.options)(**{**values, "threads": threads}))
