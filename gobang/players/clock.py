"""The time for a move: one loop for every search that can be stopped between two steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

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


@runtime_checkable
class RankedSearch(Protocol):
    """A search whose move is hardly another than the one with the most visits, so that its end can be foreseen."""

    def ranking(self) -> tuple[int, int, int]:
        """Visits of the first move and of the second, equal if that says nothing, and simulations in all."""


_FADES: Final = 0.9  # of the longest step with each step: a single long one is forgotten in time
_DOUBT: Final = 0.5  # a second move with more than this share of the first one's visits could still be the better


def seconds_for(turn: Turn, own_ms: int | None) -> float | None:
    """Time for a turn: its own limit, else that of the player; None if neither has one."""
    if turn.seconds is not None:
        return turn.seconds
    return None if own_ms is None else own_ms / 1000


def think(
    begin: Callable[[], SteppedSearch],
    seconds: float | None,
    may_go_on: Callable[[], bool] = always,
    most_seconds: float | None = None,
) -> int:
    """The move of a search that ends when all is done, time is up or `may_go_on`, asked after each step, says no.

    To begin a search takes time too, and there is always one step; no further one is begun that might end late.
    With `most_seconds` a search that ranks its moves ends early if the second cannot become the first, and
    goes on that long while there is doubt between them.
    """
    start = time.monotonic()
    search = begin()
    plan = _Plan(search, seconds, most_seconds)
    now, longest = time.monotonic(), 0.0
    while search.step() and may_go_on():
        before, now = now, time.monotonic()
        longest = max(now - before, _FADES * longest)
        if not plan.goes_on(now - start, longest):
            break
    return search.move


class _Plan:
    """How long one search is to go on."""

    def __init__(self, search: SteppedSearch, seconds: float | None, most_seconds: float | None) -> None:
        self._seconds = seconds
        self._most = seconds if most_seconds is None else most_seconds
        self._ranked = search if most_seconds is not None and isinstance(search, RankedSearch) else None
        self._kept = self._ranked.ranking()[2] if self._ranked else 0  # simulations of an earlier search

    def goes_on(self, elapsed: float, step: float) -> bool:
        """Whether to make another step, which may take so long."""
        if self._seconds is None or self._most is None:
            return True
        if self._ranked is None:
            return elapsed + step <= self._seconds
        first, second, simulations = self._ranked.ranking()
        in_doubt = second > _DOUBT * first
        limit = self._most if in_doubt else self._seconds
        if elapsed + step > limit:
            return False
        to_come = (simulations - self._kept) / max(elapsed, 1e-9) * (limit - elapsed)
        return first - second <= to_come
