"""Patterns and inputs of a critic in plain Python, as their pages define them: lists of cells, no tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gobang.rules.geometry import DIRECTIONS
from gobang.search.threats.patterns import (
    FIVE,
    FOUR,
    NONE,
    ONE,
    OPEN_FOUR,
    OPEN_ONE,
    OPEN_THREE,
    OPEN_TWO,
    THREE,
    TWO,
)
from gobang.types import Variant
from tests.rules.plain import is_exact
from tests.search.plain_kinds import defined

Pattern = tuple[int, int]  # kind, and how many points wider than the narrowest of its kind

WIDEST = {FIVE: 0, OPEN_FOUR: 1, FOUR: 2, OPEN_THREE: 2, THREE: 3, OPEN_TWO: 3, TWO: 4, OPEN_ONE: 0, ONE: 0, NONE: 3}
MISSING = {FIVE: 0, OPEN_FOUR: 1, FOUR: 1, OPEN_THREE: 2, THREE: 2, OPEN_TWO: 3, TWO: 3, OPEN_ONE: 4, ONE: 4, NONE: 4}
ORDER = [(kind, wider) for kind in sorted(WIDEST, reverse=True) for wider in range(WIDEST[kind] + 1)]
NAMED = [FIVE, OPEN_FOUR, FOUR, OPEN_THREE, THREE, OPEN_TWO, TWO]


def lines(variant: Variant, cells: NDArray[np.int8]) -> Iterator[list[int]]:
    """The cells of each line that is long enough for a row."""
    board = {divmod(point, variant.width): int(cell) for point, cell in enumerate(cells)}
    for down, right in DIRECTIONS:
        for row, column in board:
            if (row - down, column - right) in board:
                continue
            line = []
            while (row, column) in board:
                line.append(board[row, column])
                row, column = row + down, column + right
            if len(line) >= variant.k:
                yield line


def patterns(variant: Variant, cells: NDArray[np.int8], player: int) -> Counter[Pattern]:
    """How often each pattern occurs."""
    found: Counter[Pattern] = Counter()
    for line in lines(variant, cells):
        seen = tuple(0 if cell == 0 else 1 if cell == player + 1 else 2 for cell in line)
        for kind, stones in stretches(variant, seen, player):
            wider = stones[-1] - stones[0] + 1 - (variant.k - MISSING[kind])
            found[kind, min(max(wider, 0), WIDEST[kind])] += 1
    return found


def stretches(variant: Variant, seen: tuple[int, ...], player: int) -> list[tuple[int, list[int]]]:
    """Kind and stones of each stretch of a line of own (1), empty (0) and foreign (2) cells."""
    found: list[tuple[int, list[int]]] = []
    for at in (index for index, cell in enumerate(seen) if cell == 1):
        kind = defined(seen, at, variant.k, "standard" if is_exact(variant, player) else "freestyle")
        last = found[-1][1][-1] if found else at
        if found and found[-1][0] == kind and at - last < variant.k and 2 not in seen[last:at]:
            found[-1][1].append(at)
        else:
            found.append((kind, [at]))
    return found


def inputs(features: str, counts: list[Counter[Pattern]], to_move: int) -> list[float]:
    """The inputs of a network."""
    turn = [float(to_move == 0), float(to_move == 1)]
    if features == "full":
        return [value for of_player in counts for pattern in ORDER for value in unary(pattern, of_player)] + turn
    values = []
    for player in (0, 1):
        for kind in NAMED:
            count = sum(number for (found, _), number in counts[player].items() if found == kind) / 5
            values += [count, 0.0] if player == to_move else [0.0, count]
    return values + turn


def unary(pattern: Pattern, counts: Counter[Pattern]) -> list[float]:
    """The inputs of a count in `full`."""
    count = counts[pattern]
    values = [float(count >= n) for n in (1, 2, 3, 4)] + [max(0, count - 4) / 2]
    return values[:1] if pattern[0] == FIVE else values
