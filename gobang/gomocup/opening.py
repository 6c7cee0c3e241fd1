"""Swap2: one side puts three stones, the other takes black, stays white, or lets the first one choose.

    SWAP2BOARD, no stones, DONE     x,y x,y x,y    three stones that leave both sides the same chances
    SWAP2BOARD, 3 or 5 stones, DONE  SWAP           to take black, who has just moved
                                     x,y            to stay white, with the next stone

By its own judgement the better of staying and swapping is worth half a point or more, so the engine never puts the
two further stones that the rule allows: the choice would then be the other's.  The rule swap is the same with three
stones alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from gobang.errors import IllegalMove
from gobang.players.gomocup_text import read_xy
from gobang.rules.position import Position, symmetry_class
from gobang.types import Variant

STONES: Final = (0, 3, 5)
_REACH: Final = 4  # rows and columns from the centre within which the three stones lie
_EVEN: Final = 0.5
_GOOD_ENOUGH: Final = 0.02  # away from even
_MOST_OPENINGS: Final = 200

Judge = Callable[[Position, float], float]  # points that the side to move can expect, after so many seconds


def read_stones(variant: Variant, lines: Sequence[str]) -> Position:
    """The position of the lines `x,y` or `x,y,field` in the order of play; raises IllegalMove."""
    if len(lines) not in STONES:
        raise IllegalMove(f"{len(lines)} stones: swap2 has none, three or five on the board")
    return Position(variant, [read_xy(variant, ",".join(line.split(",")[:2])) for line in lines])


def wants_to_swap(position: Position, judge: Judge, seconds: float) -> bool:
    """Whether the side that has just moved is better off."""
    return judge(position, seconds) < _EVEN


def three_stones(variant: Variant, judge: Judge, seconds: float, random: np.random.Generator) -> Position:
    """Black, white, black near the centre: of some random openings the one that is judged most even in the time."""
    deadline, best, least = time.monotonic() + seconds, None, 1.0
    seen: set[bytes] = set()
    for _ in range(_MOST_OPENINGS):
        position = _random_opening(variant, random)
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


def _random_opening(variant: Variant, random: np.random.Generator) -> Position:
    middle = variant.height // 2, variant.width // 2
    position = Position(variant)
    while len(position.moves) < 3:
        reach = [min(_REACH, centre) for centre in middle]
        row, column = (
            int(centre + random.integers(-each, each + 1)) for centre, each in zip(middle, reach, strict=True)
        )
        point = min(row, variant.height - 1) * variant.width + min(column, variant.width - 1)
        if position.cells[point] == 0:
            position.play(point)
    return position
