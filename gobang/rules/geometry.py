"""Tables of a variant's board, made once and handed to every kernel.

A line is a row, a column or a diagonal of at least k points.  Its stones of one player are the bits
of a uint32 word; a point lies on up to four lines, at one bit of each.  Points that lie on no line
in some direction have that direction on the spare line, whose mask is empty.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.types import MAX_SIDE, RULES, Variant

FREESTYLE: Final = RULES.index("freestyle")
STANDARD: Final = RULES.index("standard")
RENJU: Final = RULES.index("renju")
CARO: Final = RULES.index("caro")
DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows, columns, diagonals: (row step, column step)
_ZOBRIST_SEED: Final = 20_240_229


class Geometry(NamedTuple):
    """A variant as kernels see it.  L lines, of which the last is the spare line."""

    height: int
    width: int
    k: int
    players: int
    rule: int  # FREESTYLE, STANDARD, RENJU or CARO
    line: NDArray[np.int16]  # [A, 4] the line through a point in each direction
    bit: NDArray[np.uint8]  # [A, 4] the point's bit on that line
    point: NDArray[np.int16]  # [L, MAX_SIDE] the point at a bit of a line
    mask: NDArray[np.uint32]  # [L] the bits that are on the board
    stone_key: NDArray[np.uint64]  # [P, A] Zobrist key of a player's stone on a point
    turn_key: NDArray[np.uint64]  # [P] Zobrist key of the side to move


def _lines(variant: Variant) -> list[tuple[int, list[int]]]:
    """Every line as (direction, its points in order)."""
    lines = []
    for direction, (down, right) in enumerate(DIRECTIONS):
        for row in range(variant.height):
            for column in range(variant.width):
                before = (row - down, column - right)
                if 0 <= before[0] < variant.height and 0 <= before[1] < variant.width:
                    continue  # not the first point of its line
                points = []
                r, c = row, column
                while 0 <= r < variant.height and 0 <= c < variant.width:
                    points.append(r * variant.width + c)
                    r, c = r + down, c + right
                if len(points) >= variant.k:
                    lines.append((direction, points))
    return lines


@lru_cache(maxsize=64)
def geometry(variant: Variant) -> Geometry:
    """The tables of a variant; the same object for equal variants."""
    lines = _lines(variant)
    spare = len(lines)
    line = np.full((variant.points, len(DIRECTIONS)), spare, np.int16)
    bit = np.zeros((variant.points, len(DIRECTIONS)), np.uint8)
    point = np.zeros((spare + 1, MAX_SIDE), np.int16)
    mask = np.zeros(spare + 1, np.uint32)
    for index, (direction, points) in enumerate(lines):
        line[points, direction] = index
        bit[points, direction] = np.arange(len(points))
        point[index, : len(points)] = points
        mask[index] = (1 << len(points)) - 1
    keys = np.random.default_rng(_ZOBRIST_SEED).integers(1, 2**64, (variant.players, 512), np.uint64)
    return Geometry(
        height=variant.height,
        width=variant.width,
        k=variant.k,
        players=variant.players,
        rule=RULES.index(variant.rule),
        line=line,
        bit=bit,
        point=point,
        mask=mask,
        stone_key=np.ascontiguousarray(keys[:, : variant.points]),
        turn_key=np.ascontiguousarray(keys[:, 511]),
    )


@lru_cache(maxsize=64)
def windows(variant: Variant) -> NDArray[np.int16]:
    """[W, k] the points of each k in a row, whatever the rule says of more; not to be changed."""
    rows = [
        points[first : first + variant.k]
        for _, points in _lines(variant)
        for first in range(len(points) - variant.k + 1)
    ]
    return np.array(rows, np.int16).reshape(-1, variant.k)
