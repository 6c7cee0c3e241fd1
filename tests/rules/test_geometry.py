"""The tables of a board against coordinates."""

from __future__ import annotations

from hypothesis import given, settings

from gobang.rules.geometry import DIRECTIONS, geometry
from gobang.types import Variant
from tests.rules.games import variants


@settings(max_examples=30, deadline=None, derandomize=True)
@given(variants())
def test_each_point_lies_on_its_lines(variant: Variant) -> None:
    tables = geometry(variant)
    spare = len(tables.mask) - 1
    assert tables.mask[spare] == 0
    for point in range(variant.points):
        for direction, (down, right) in enumerate(DIRECTIONS):
            line, bit = int(tables.line[point, direction]), int(tables.bit[point, direction])
            if line == spare:
                continue
            assert tables.point[line, bit] == point
            row, column = point // variant.width + down, point % variant.width + right
            on_board = 0 <= row < variant.height and 0 <= column < variant.width
            assert bool(tables.mask[line] >> (bit + 1) & 1) == on_board
            if on_board:
                assert tables.point[line, bit + 1] == row * variant.width + column


@settings(max_examples=30, deadline=None, derandomize=True)
@given(variants())
def test_lines_are_those_on_which_a_row_fits(variant: Variant) -> None:
    lengths = [bin(mask).count("1") for mask in geometry(variant).mask[:-1].tolist()]
    height, width, k = variant.height, variant.width, variant.k
    diagonals = [min(height, width, n, height + width - n) for n in range(1, height + width)]
    expected = [width] * height + [height] * width + 2 * diagonals
    assert sorted(lengths) == sorted(length for length in expected if length >= k)


def test_keys_differ() -> None:
    tables = geometry(Variant.square(22, players=4))
    keys = [*tables.stone_key.reshape(-1).tolist(), *tables.turn_key.tolist()]
    assert len(set(keys)) == len(keys) == 4 * 484 + 4
    assert geometry(Variant()) is geometry(Variant())
