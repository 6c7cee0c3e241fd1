"""Plays a match in sets of games, in this process or in several, with the same results.

The players of a set are made for it alone, with seeds that depend on the match's seed and the set's
number only.  So a game does not depend on how many processes there are.

Each process has a pipe.  The parent sends a task; the process answers with an Update for each game
and with SET_DONE at the end, or with the GobangError that stopped it.  A process ends with its parent,
and when it finds its pipe closed; the parent takes a closed pipe for a crash.
"""

from __future__ import annotations

import contextlib
import math
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Final, cast

import numpy as np

from gobang.children import PROCESSES, TiedProcess
from gobang.errors import GobangError
from gobang.match import Fixture, PlayedGame, play_games
from gobang.players.player import Player
from gobang.types import Variant

SET_DONE: Final = "set done"
FEWEST_SETS: Final = 4  # so that a short match, too, can be spread
MOST_PAIRS: Final = 32  # in a set; beyond 64 games in lock step nothing gets faster
_SECONDS_TO_LEAVE: Final = 5.0

PlayerFactory = Callable[[Variant, int], Player]  # from the variant and a seed; crosses processes
OnResult = Callable[[int, PlayedGame], None]  # a game's number in the match, and what came of it


class WorkerLost(GobangError):
    """A process ended without being asked to, for example for want of memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GameSet:
    """Games in lock step with players of their own, e.g. games 50 to 99 of a match."""

    variant: Variant
    contestants: tuple[PlayerFactory, ...]
    seeds: tuple[int, ...]  # one for each contestant
    first: int  # number of the first game in the match
    fixtures: tuple[Fixture, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Update:
    """A finished game on its way to the parent, e.g. `Update(number=57, game=PlayedGame(...))`."""

    number: int
    game: PlayedGame


def game_sets(
    variant: Variant, contestants: Sequence[PlayerFactory], fixtures: Sequence[Fixture], seed: int
) -> list[GameSet]:
    """Cut a match of paired fixtures into sets, pairs kept together."""
    pairs = len(fixtures) // 2
    size = 2 * min(MOST_PAIRS, math.ceil(pairs / FEWEST_SETS))
    starts = range(0, len(fixtures), size)
    seeds = np.random.SeedSequence(seed).generate_state(len(starts) * len(contestants)).reshape(len(starts), -1)
    return [
        GameSet(
            variant=variant,
            contestants=tuple(contestants),
            seeds=tuple(map(int, set_seeds)),
            first=first,
            fixtures=tuple(fixtures[first : first + size]),
        )
        for first, set_seeds in zip(starts, seeds, strict=True)
    ]


def play_set(games: GameSet, on_result: OnResult) -> None:
    """Make the players, play one set, and close the players, also when something goes wrong."""
    with contextlib.ExitStack() as stack:
        players = []
        for make, seed in zip(games.contestants, games.seeds, strict=True):
            players.append(make(games.variant, seed))
            stack.callback(players[-1].close)
        play_games(games.variant, players, games.fixtures, lambda number, game: on_result(games.first + number, game))


def play_sets(sets: Sequence[GameSet], jobs: int, on_result: OnResult) -> None:
    """Play all sets, with more than one job in that many processes; `on_result` is called here."""
    if jobs == 1 or len(sets) == 1:
        for games in sets:
            play_set(games, on_result)
        return
    with _Workers(min(jobs, len(sets))) as workers:
        workers.run(sets, on_result)


class _Workers:
    """Processes that play sets until the block is left."""

    def __init__(self, count: int) -> None:
        self._processes: dict[Connection, TiedProcess] = {}
        for _ in range(count):
            ours, theirs = PROCESSES.Pipe()
            process = PROCESSES.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()  # so that its end is seen
            self._processes[ours] = process

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *exception: object) -> None:
        for connection, process in self._processes.items():
            connection.close()
            process.terminate()
        for process in self._processes.values():
            process.join(_SECONDS_TO_LEAVE)
            if process.is_alive():
                process.kill()
                process.join()

    def run(self, sets: Sequence[GameSet], on_result: OnResult) -> None:
        """Hand out the sets, and receive until all are done."""
        waiting = list(reversed(sets))
        busy = list(self._processes)
        for connection in busy:
            connection.send(waiting.pop())
        while busy:
            for connection in cast("list[Connection]", wait(busy)):
                message = self._receive(connection)
                if isinstance(message, Update):
                    on_result(message.number, message.game)
                elif isinstance(message, GobangError):
                    raise message
                elif waiting:
                    connection.send(waiting.pop())
                else:
                    busy.remove(connection)

    def _receive(self, connection: Connection) -> object:
        try:
            return connection.recv()
        except EOFError as error:
            process = self._processes[connection]
            process.join(_SECONDS_TO_LEAVE)
            raise WorkerLost(f"a process of the match ended with exit code {process.exitcode}") from error


def _serve(connection: Connection) -> None:
    """Main function of a process: play what comes until the parent goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))  # an exception, so that players are closed
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            games: GameSet = connection.recv()
            connection.send(_result_of(games, connection))


def _result_of(games: GameSet, connection: Connection) -> object:
    """Play a set, and return the last word on it."""
    try:
        play_set(games, lambda number, game: connection.send(Update(number=number, game=game)))
    except GobangError as error:
        return error
    return SET_DONE
