"""Forbidden points: known diagrams, and the kernel against the plain recursive definition."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gobang.rules.board import legal_moves
from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.rules.renju import ALLOWED, DOUBLE_FOUR, DOUBLE_THREE, FORBIDDEN_REASONS, OVERLINE, forbidden
from gobang.rules.symmetry import symmetries
from gobang.types import EMPTY, Variant
from tests.rules.games import crowded_cells
from tests.rules.plain import forbidden_cells

MARKS = {"3": DOUBLE_THREE, "4": DOUBLE_FOUR, "6": OVERLINE}
DIAGRAMS = (Path(__file__).parents[1] / "golden" / "renju.txt").read_text().split("\n= ")[1:]


@kernel
def all_verdicts(tables: Geometry, cells: NDArray[np.int8], verdicts: NDArray[np.int8]) -> None:
    """Fill `verdicts` [A] of the empty points."""
    for point in range(len(cells)):
        if cells[point] == EMPTY:
            verdicts[point] = forbidden(tables, cells, point)


def forbidden_points(variant: Variant, cells: NDArray[np.int8]) -> dict[int, int]:
    """Each point that black may not play, and why."""
    verdicts = np.full(variant.points, ALLOWED, np.int8)
    all_verdicts(geometry(variant), cells, verdicts)
    return {int(point): int(verdicts[point]) for point in np.flatnonzero(verdicts)}


def plain_forbidden_points(variant: Variant, cells: NDArray[np.int8]) -> dict[int, int]:
    """The same from the plain definition."""
    height, width = variant.height, variant.width
    black, white = (frozenset(divmod(int(p), width) for p in np.flatnonzero(cells == stone)) for stone in (1, 2))
    codes = {reason: code for code, reason in FORBIDDEN_REASONS.items()}
    found = forbidden_cells((height, width), black, white)
    return {row * width + column: codes[reason] for (row, column), reason in found.items()}


def parse_diagram(diagram: str) -> tuple[Variant, NDArray[np.int8], dict[int, int]]:
    """Board, stones [A] and expected forbidden points of a drawing, whose top line is the highest row."""
    rows = [line.split() for line in diagram.strip().splitlines()[:0:-1]]
    marks = [mark for row in rows for mark in row]
    cells = np.array([{"X": 1, "O": 2}.get(mark, EMPTY) for mark in marks], np.int8)
    expected = {point: MARKS[mark] for point, mark in enumerate(marks) if mark in MARKS}
    return Variant(height=len(rows), width=len(rows[0]), rule="renju"), cells, expected


@pytest.mark.parametrize("diagram", DIAGRAMS, ids=lambda diagram: diagram.splitlines()[0])
def test_known_diagrams(diagram: str) -> None:
    variant, cells, expected = parse_diagram(diagram)
    assert forbidden_points(variant, cells) == expected
    assert plain_forbidden_points(variant, cells) == expected


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(st.sampled_from(DIAGRAMS), st.lists(st.tuples(st.integers(0, 483), st.integers(0, 2)), min_size=1, max_size=4))
def test_changed_diagrams_agree_with_the_plain_definition(diagram: str, changes: list[tuple[int, int]]) -> None:
    """Threes that hang on other threes are rare in random positions; here they are not."""
    variant, cells, _ = parse_diagram(diagram)
    for point, stone in changes:
        cells[point % variant.points] = stone
    assert forbidden_points(variant, cells) == plain_forbidden_points(variant, cells)


shapes = st.sampled_from([(15, 15), (15, 15), (5, 5), (5, 22), (6, 9), (9, 6), (10, 10), (22, 3), (19, 12), (22, 22)])


@settings(max_examples=3000, deadline=None, derandomize=True)
@given(shapes, st.integers(0, 10**9))
def test_crowded_positions_agree_with_the_plain_definition(shape: tuple[int, int], seed: int) -> None:
    variant = Variant(height=shape[0], width=shape[1], rule="renju")
    cells = crowded_cells(variant, seed)
    before = cells.copy()
    found = forbidden_points(variant, cells)
    assert found == plain_forbidden_points(variant, cells)
    assert (cells == before).all()
    legal = np.zeros(variant.points, np.bool_)
    count = legal_moves(geometry(variant), cells, 0, legal)
    assert legal.sum() == count == (cells == EMPTY).sum() - len(found)
    assert not legal[list(found)].any()
    assert not legal[cells != EMPTY].any()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from([5, 6, 15, 22]), st.integers(0, 10**9))
def test_forbidden_points_follow_the_symmetries(side: int, seed: int) -> None:
    variant = Variant.square(side, rule="renju")
    cells = crowded_cells(variant, seed)
    found = forbidden_points(variant, cells)
    for table in symmetries(side, side):
        image = np.empty_like(cells)
        image[table] = cells
        assert forbidden_points(variant, image) == {int(table[point]): reason for point, reason in found.items()}
