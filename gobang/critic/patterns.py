"""Which patterns the stones of a player form on a line, and how many of each there are on a board.

A stone has a kind along a line, that of `gobang.search.threats.patterns` for what it is part of: a stone of an
OPEN_FOUR, of a THREE and so on, or NONE where no row can come about.  A pattern is a stretch of stones of one
kind: each stands within reach of the one before, with no foreign stone between.  It is named by its kind and by
its span, the points from its first to its last stone; what lies beyond the widest named span counts as that.
With k = 5:

    FIVE         1 pattern
    OPEN_FOUR    span 4, wider                  FOUR     span 4, 5, wider
    OPEN_THREE   span 3, 4, wider               THREE    span 3, 4, 5, wider
    OPEN_TWO     span 2, 3, 4, wider            TWO      span 2, 3, 4, 5, wider
    OPEN_ONE     1 pattern                      ONE      1 pattern
    NONE         span 1, 2, 3, wider

These are 28.  A stretch shorter than the first span of its kind, which is cut off from more stones, counts as that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel, lowest_bit
from gobang.search.threats.patterns import (
    FIVE,
    FOUR,
    KINDS,
    NONE,
    ONE,
    OPEN_FOUR,
    OPEN_ONE,
    OPEN_THREE,
    OPEN_TWO,
    THREE,
    TWO,
    pattern_board,
)
from gobang.types import NO_MOVE, Variant

# By kind: how many spans have a pattern of their own, and how many stones less than k the first of them has.
_SPANS: Final = {
    FIVE: (1, 0),
    OPEN_FOUR: (2, 1),
    FOUR: (3, 1),
    OPEN_THREE: (3, 2),
    THREE: (4, 2),
    OPEN_TWO: (4, 3),
    TWO: (5, 3),
    OPEN_ONE: (1, 4),
    ONE: (1, 4),
    NONE: (4, 4),
}
PATTERNS: Final = sum(spans for spans, _ in _SPANS.values())
NAMED: Final = (FIVE, OPEN_FOUR, FOUR, OPEN_THREE, THREE, OPEN_TWO, TWO)  # the seven kinds that a player has a word for

_FOREIGN: Final = 2  # digit of a code; that of an own stone is 1


class LinePatterns(NamedTuple):
    """What a variant's patterns are looked up in.  R is how far a stone sees."""

    kinds: NDArray[np.uint8]  # [2, 3^2R] by player: the kind of each code, as in `Patterns`
    ternary: NDArray[np.int32]  # [2^2R] of bits: the number with the same digits in base three
    first: NDArray[np.int64]  # [KINDS] the first pattern of a kind
    spans: NDArray[np.int64]  # [KINDS] how many it has
    shortest: NDArray[np.int64]  # [KINDS] span of the first
    reach: int  # R
    near: int  # k - 1: stones further apart share no row


@lru_cache(maxsize=16)
def line_patterns(variant: Variant) -> LinePatterns:
    """The tables of a variant for two players; the same object for equal variants."""
    board = pattern_board(variant, np.zeros(variant.points, np.int8))
    digits = np.arange(len(board.powers))
    above = [sum(_SPANS[kind][0] for kind in _SPANS if kind > other) for other in range(KINDS)]
    return LinePatterns(
        kinds=board.tables,
        ternary=((np.arange(2 ** len(digits))[:, None] >> digits & 1) @ board.powers).astype(np.int32),
        first=np.array(above, np.int64),
        spans=np.array([_SPANS[kind][0] for kind in range(KINDS)], np.int64),
        shortest=np.array([variant.k - _SPANS[kind][1] for kind in range(KINDS)], np.int64),
        reach=len(digits) // 2,
        near=variant.k - 1,
    )


def kind_of_patterns() -> NDArray[np.int64]:
    """[PATTERNS] the kind that each pattern is of."""
    return np.array([kind for kind, (spans, _) in sorted(_SPANS.items(), reverse=True) for _ in range(spans)])


@kernel
def count_line(
    tables: LinePatterns, player: int, own: np.uint32, open_: np.uint32, sign: int, counts: NDArray[np.int16]
) -> None:
    """Add a player's patterns on a line to `counts` [PATTERNS], or (sign -1) take them away.

    `own` has the bits of his stones, `open_` those of all points on the board without a foreign stone.
    """
    reach = np.uint64(tables.reach)
    stones = np.uint64(own) << reach  # so that what the bit n sees begins at the bit n
    foreign = ~(np.uint64(open_) << reach)
    begin, last, current = NO_MOVE, NO_MOVE, NONE
    left = own
    while left != 0:
        at = int(lowest_bit(left))
        left &= left - np.uint32(1)
        code = _ternary(tables, stones >> np.uint64(at)) + _FOREIGN * _ternary(tables, foreign >> np.uint64(at))
        kind = int(tables.kinds[player, code])
        if begin != NO_MOVE and kind == current and _is_next(foreign >> reach, last, at, tables.near):
            last = at
            continue
        _close(tables, begin, last, current, sign, counts)
        begin, last, current = at, at, kind
    _close(tables, begin, last, current, sign, counts)


@inlined
def _ternary(tables: LinePatterns, bits: np.uint64) -> int:
    """The number whose digits are the lowest R bits and, after one that is left out, the next R."""
    reach = np.uint64(tables.reach)
    low = (np.uint64(1) << reach) - np.uint64(1)
    return int(tables.ternary[(bits & low) | ((bits >> (reach + np.uint64(1))) & low) << reach])


@inlined
def _is_next(foreign: np.uint64, last: int, at: int, near: int) -> bool:
    """Whether two stones of a player lie near each other with none of the opponent's between."""
    between = (np.uint64(1) << np.uint64(at)) - (np.uint64(1) << np.uint64(last))
    return at - last <= near and foreign & between == 0


@inlined
def _close(tables: LinePatterns, begin: int, last: int, kind: int, sign: int, counts: NDArray[np.int16]) -> None:
    """Count a stretch, if there is one."""
    if begin == NO_MOVE:
        return
    wider = max(0, last - begin + 1 - int(tables.shortest[kind]))
    counts[tables.first[kind] + min(wider, tables.spans[kind] - 1)] += sign
