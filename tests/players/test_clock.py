"""The loop that searches for some time."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gobang.players import clock
from gobang.players.clock import seconds_for, think
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import Variant


class Counting:
    """A search whose move is how many steps it has made, each of which takes a second."""

    def __init__(self, steps: int, now: list[float]) -> None:
        self.move = 0
        self._steps = steps
        self._now = now

    def step(self) -> bool:
        self.move += 1
        self._now[0] += 1.0
        return self.move < self._steps


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in one item."""
    now = [1000.0]
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


class Ranked(Counting):
    """The same with 10 simulations in each step, of which the first move gets a share and the second the rest."""

    def __init__(self, steps: int, now: list[float], share: float, kept: int = 0) -> None:
        super().__init__(steps, now)
        self._share, self._kept = share, kept

    def ranking(self) -> tuple[int, int, int]:
        done = self._kept + 10 * self.move
        return round(self._share * done), round((1 - self._share) * done), done


@pytest.mark.parametrize(("seconds", "steps"), [(None, 9), (3600.0, 9), (4.0, 4), (0.0, 1)])
def test_a_search_ends_when_all_is_done_or_time_is_up(now: list[float], seconds: float | None, steps: int) -> None:
    assert think(lambda: Counting(9, now), seconds) == steps


def test_the_time_to_begin_counts(now: list[float]) -> None:
    def begin() -> Counting:
        now[0] += 2.0
        return Counting(9, now)

    assert think(begin, 5.0) == 3


def test_a_search_is_stopped_from_outside(now: list[float]) -> None:
    answers = iter([True, True, False])
    assert think(lambda: Counting(9, now), None, lambda: next(answers)) == 3


@pytest.mark.parametrize(
    ("share", "kept", "steps"),
    [(1.0, 0, 6), (0.8, 0, 7), (0.7, 0, 8), (0.6, 0, 17), (0.8, 200, 1), (0.6, 200, 14)],
)
def test_a_ranked_search_ends_when_nothing_can_change(now: list[float], share: float, kept: int, steps: int) -> None:
    """With 10 s, and 20 s in doubt: once the lead of the first is more than all simulations to come."""
    assert think(lambda: Ranked(99, now, share, kept), 10.0, most_seconds=20.0) == steps


def test_without_more_time_in_doubt_a_search_still_ends_early(now: list[float]) -> None:
    assert think(lambda: Ranked(99, now, 1.0), 10.0, most_seconds=10.0) == 6
    assert think(lambda: Ranked(99, now, 0.6), 10.0, most_seconds=10.0) == 9
    assert think(lambda: Ranked(99, now, 1.0), 10.0) == 10


def test_no_step_is_begun_that_would_end_late(now: list[float]) -> None:
    assert think(lambda: Counting(9, now), 4.5) == 4


def test_a_turn_with_a_limit_overrules_the_player() -> None:
    position = Position(Variant.square(5, k=4))
    assert seconds_for(Turn(game=0, position=position, seconds=0.5), 9000) == 0.5
    assert seconds_for(Turn(game=0, position=position), 250) == 0.25
    assert seconds_for(Turn(game=0, position=position), None) is None
