"""The few texts on which both ends of the Gomocup protocol agree.

A point is written `x,y`: column and row, both from 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gobang.errors import IllegalMove
from gobang.numbers import read_whole
from gobang.types import Variant

EXACT_FIVE: Final = 1
RENJU: Final = 4
CARO: Final = 8
RULE_BITS: Final[Mapping[str, int]] = {"freestyle": 0, "standard": EXACT_FIVE, "renju": RENJU, "caro": CARO}
RULES_BY_BITS: Final[Mapping[int, str]] = {
    **{bits: rule for rule, bits in RULE_BITS.items()},
    RENJU | EXACT_FIVE: "renju",  # whose black wins with exactly five anyway
}

OWN: Final = 1  # in the lines of BOARD: a stone of who is asked to move
OPPONENT: Final = 2
TWO_PLAYERS: Final = "the Gomocup protocol is for two players"
NO_MATCH_LIMIT: Final = 2_147_483_647  # in place of milliseconds


def write_xy(variant: Variant, point: int) -> str:
    """A point as the protocol writes it, e.g. 9 on an 8x8 board -> "1,1"."""
    y, x = divmod(point, variant.width)
    return f"{x},{y}"


def read_pair(text: str) -> tuple[int, int] | None:
    """The two numbers of a text such as "7,12", or None."""
    x, _, y = text.partition(",")
    pair = read_whole(x.strip(), 0), read_whole(y.strip(), 0)
    return None if pair[0] is None or pair[1] is None else (pair[0], pair[1])


def read_xy(variant: Variant, text: str) -> int:
    """The point that a text names; raises IllegalMove."""
    pair = read_pair(text)
    if pair is None:
        raise IllegalMove(f"{text.strip()[:40]!r} is not a point such as 7,7")
    x, y = pair
    if x >= variant.width or y >= variant.height:
        raise IllegalMove(f"{x},{y} is not on a board of {variant.width} columns and {variant.height} rows")
    return y * variant.width + x
