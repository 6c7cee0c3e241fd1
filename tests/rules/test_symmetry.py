"""Symmetries against their definition by coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gobang.rules.symmetry import symmetries, transform, transform_points
from gobang.types import NO_MOVE

sides = st.integers(3, 22)


def images_by_coordinates(height: int, width: int) -> set[tuple[int, ...]]:
    """Every symmetry as the list of where it takes each point."""
    maps = [lambda r, c: (r, c), lambda r, c: (height - 1 - r, c)]
    maps += [lambda r, c: (r, width - 1 - c), lambda r, c: (height - 1 - r, width - 1 - c)]
    if height == width:
        maps += [lambda r, c: (c, r), lambda r, c: (width - 1 - c, height - 1 - r)]
        maps += [lambda r, c: (c, height - 1 - r), lambda r, c: (width - 1 - c, r)]
    cells = [(row, column) for row in range(height) for column in range(width)]
    return {tuple(r * width + c for r, c in (move(*cell) for cell in cells)) for move in maps}


@settings(max_examples=50, deadline=None, derandomize=True)
@given(sides, sides)
def test_symmetries_are_those_of_the_rectangle(height: int, width: int) -> None:
    table = symmetries(height, width)
    assert {tuple(row) for row in table.tolist()} == images_by_coordinates(height, width)
    assert len(table) == (8 if height == width else 4)
    assert (table[0] == np.arange(height * width)).all()


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_transform_moves_each_row_by_its_own_symmetry(dtype: type) -> None:
    table = symmetries(4, 4)
    values = np.arange(8 * 16).reshape(8, 16).astype(dtype)
    image = np.empty_like(values)
    transform(values, table, np.arange(8, dtype=np.int16), image)
    for row in range(8):
        assert (image[row][table[row]] == values[row]).all()


def test_points_move_with_the_stones() -> None:
    table = symmetries(3, 5)
    points = np.array([0, 7, NO_MOVE, 14], np.int16)
    assert transform_points(points, table, np.array([1, 2, 3, 3], np.int16)).tolist() == [10, 7, NO_MOVE, 0]
