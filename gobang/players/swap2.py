"""The openings swap and swap2: one side puts black, white, black; the other takes a colour, and white goes on.

In swap2 the other side may instead put white and black, and leave the choice to the first.  By its own judgement the
better of the two colours is worth half a point or more, so no player here puts those two stones by itself: the
choice would then be the other's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import numpy as np

from gobang.players.player import Analyst
from gobang.rules.position import Position, symmetry_class

FIRST_STONES: Final = 3
ALL_STONES: Final = 5  # with the two that swap2 allows

_REACH: Final = 4  # rows and columns from the centre within which the stones lie
_EVEN: Final = 0.5
_GOOD_ENOUGH: Final = 0.02  # away from even
_MOST_OPENINGS: Final = 200
_MOST_SIMULATIONS: Final = 2000  # to judge a position

Judge = Callable[[Position, float], float]  # points that the side to move can expect, after so many seconds


def judge_by(analyst: Analyst) -> Judge:
    """Judges by the search of a player."""

    def judge(position: Position, seconds: float) -> float:
        deadline = time.monotonic() + seconds
        search = analyst.analyse(position, _MOST_SIMULATIONS)
        while search.step() and time.monotonic() < deadline:
            pass
        chances = search.analysis(1).chances
        return chances[position.to_move] + chances[-1] / 2

    return judge


def wants_to_swap(position: Position, judge: Judge, seconds: float) -> bool:
    """Whether the side that has just moved is better off: with three or five stones black."""
    return judge(position, seconds) < _EVEN


def even_opening(begun: Position, stones: int, judge: Judge, seconds: float, random: np.random.Generator) -> Position:
    """An opening of so many stones, begun already: of some random ones the most even in the time, near the centre."""
    deadline, best, least = time.monotonic() + seconds, None, 1.0
    seen: set[bytes] = set()
    for _ in range(_MOST_OPENINGS):
        position = _random_opening(begun, stones, random)
        if symmetry_class(position) in seen:
            continue
        seen.add(symmetry_class(position))
        distance = abs(judge(position, seconds / 10) - _EVEN)
        if best is None or distance < least:
            best, least = position, distance
        if least < _GOOD_ENOUGH or time.monotonic() >= deadline:
            break
    assert best is not None
    return best


def _random_opening(begun: Position, stones: int, random: np.random.Generator) -> Position:
    variant = begun.variant
    middle = variant.height // 2, variant.width // 2
    position = Position(variant, begun.moves)
    while len(position.moves) < stones:
        reach = [min(_REACH, centre) for centre in middle]
        row, column = (
            int(centre + random.integers(-each, each + 1)) for centre, each in zip(middle, reach, strict=True)
        )
        point = min(row, variant.height - 1) * variant.width + min(column, variant.width - 1)
        if position.legal()[point]:
            position.play(point)
    return position
