"""The time for a move: one loop for every search that can be stopped between two steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from gobang.players.player import Turn, always


class SteppedSearch(Protocol):
    """A search under way, which has a move to offer whenever it is stopped.

    while search.step():
        ...                        # look at the clock
    search.move
    """

    @property
    def move(self) -> int:
        """The best move found so far; read it once, at the end."""

    def step(self) -> bool:
        """Search a little more; False when all is done."""


def seconds_for(turn: Turn, own_ms: int | None) -> float | None:
    """Time for a turn: its own limit, else that of the player; None if neither has one."""
    if turn.seconds is not None:
        return turn.seconds
    return None if own_ms is None else own_ms / 1000


def think(begin: Callable[[], SteppedSearch], seconds: float | None, may_go_on: Callable[[], bool] = always) -> int:
    """The move of a search that ends when all is done, time is up or `may_go_on`, asked after each step, says no.

    To begin a search takes time too, and there is always one step.
    """
    start = time.monotonic()
    search = begin()
    while search.step() and (seconds is None or time.monotonic() < start + seconds) and may_go_on():
        pass
    return search.move
