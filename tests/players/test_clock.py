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


def test_a_turn_with_a_limit_overrules_the_player() -> None:
    position = Position(Variant.square(5, k=4))
    assert seconds_for(Turn(game=0, position=position, seconds=0.5), 9000) == 0.5
    assert seconds_for(Turn(game=0, position=position), 250) == 0.25
    assert seconds_for(Turn(game=0, position=position), None) is None
