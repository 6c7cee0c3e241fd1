"""Random variants and games that wander into long rows, for property tests."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from gobang.rules.position import Position
from gobang.types import EMPTY, MAX_K, MAX_SIDE, RULES, UNDECIDED, Variant


@st.composite
def variants(draw: st.DrawFn) -> Variant:
    """Any variant there is, small boards more often than large ones."""
    rule = draw(st.sampled_from(RULES))
    height, width = draw(st.integers(3, MAX_SIDE)), draw(st.integers(3, MAX_SIDE))
    if rule in ("renju", "caro"):
        return Variant(height=max(height, 5), width=width, rule=rule)
    k = draw(st.integers(3, min(MAX_K, max(height, width))))
    return Variant(height=height, width=width, k=k, rule=rule, players=draw(st.integers(2, 4)))


def random_moves(position: Position, seed: int) -> Iterator[int]:
    """Legal points until the game is over, mostly near the last move; the caller plays them."""
    source = random.Random(seed)
    width = position.variant.width
    while position.outcome == UNDECIDED:
        points = source.choices(np.flatnonzero(position.legal()).tolist(), k=source.choice((1, 4, 16)))
        last = position.last_move
        yield min(points, key=lambda p: abs(p // width - last // width) + abs(p % width - last % width))


def crowded_cells(variant: Variant, seed: int) -> NDArray[np.int8]:
    """[A] two players' stones around one spot, with no regard to how they came there."""
    source = random.Random(seed)
    cells = np.full((variant.height, variant.width), EMPTY, np.int8)
    row, column = source.randrange(variant.height), source.randrange(variant.width)
    spread, black = source.uniform(1.5, 6.0), source.uniform(0.5, 1.0)
    for _ in range(source.randint(20, 60)):
        r, c = round(source.gauss(row, spread)), round(source.gauss(column, spread))
        if 0 <= r < variant.height and 0 <= c < variant.width:
            cells[r, c] = 1 if source.random() < black else 2
    return cells.reshape(-1)
