"""From stones to the rows of a table of line shapes, and what a point takes from its neighbours.

The kernel that plays and those that learn share this.  Shape letters: F filters, H and W sides of the board, A its
points.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.network.architectures.line_shapes import DIRECTIONS, LENGTH, OFF_BOARD, REACH
from gobang.rules.compiled import inlined
from gobang.rules.lanes import LANES, Lanes, add, lanes_at, lined_up, multiply

_DIGIT: Final = np.int32(2)  # bits of a digit of a code
_LAST_DIGIT: Final = np.int32(2 * LENGTH - 2)  # bits before the last one


class LineBoard(NamedTuple):
    """A board as lines are read from it."""

    stones: NDArray[np.int32]  # [H + 8, W + 8] digits, with a rim that is off the board
    codes: NDArray[np.int32]  # [4, H + 8, W + 8] of the lines that end at each point, the rim's too


def new_board(height: int, width: int) -> LineBoard:
    """An empty board."""
    shape = (height + 2 * REACH, width + 2 * REACH)
    return LineBoard(
        stones=np.full(shape, OFF_BOARD, np.int32), codes=np.full((len(DIRECTIONS), *shape), 4**LENGTH - 1, np.int32)
    )


def new_grid(height: int, width: int) -> NDArray[np.float32]:
    """Lanes for each point, [H + 2, W + 2, LANES] with a rim of zeros."""
    return lined_up(np.zeros((height + 2, width + 2, LANES), np.float32))


@inlined
def read_planes(board: LineBoard, planes: NDArray[np.float32], row: int, stone_planes: int) -> None:
    """Set the stones of a position of `planes` [B, C, H, W]; what lies around the board stays."""
    stones = board.stones
    for y in range(planes.shape[2]):
        for x in range(planes.shape[3]):
            stones[REACH + y, REACH + x] = np.int32(planes[row, 0, y, x])
    for plane in range(1, stone_planes):
        for y in range(planes.shape[2]):
            for x in range(planes.shape[3]):
                stones[REACH + y, REACH + x] |= np.int32(2) * np.int32(planes[row, plane, y, x])


@inlined
def read_cells(board: LineBoard, cells: NDArray[np.int8], to_move: int) -> None:
    """Set the stones of a position as a search has it."""
    height, width = board.stones.shape[0] - 2 * REACH, board.stones.shape[1] - 2 * REACH
    for y in range(height):
        for x in range(width):
            cell = cells[y * width + x]
            digit = np.int32(0) if cell == 0 else np.int32(1) if cell == to_move + 1 else np.int32(2)
            board.stones[REACH + y, REACH + x] = digit


@inlined
def find_rows(board: LineBoard, shape_of_codes: NDArray[np.int16], filters: int, rows: NDArray[np.int32]) -> None:
    """Write to `rows` [A, 4] where the rows of each point's shapes begin in a table of so many `filters`."""
    _read_codes(board)
    codes = board.codes
    width = codes.shape[2] - 2 * REACH
    for y in range(codes.shape[1] - 2 * REACH):
        for x in range(width):
            point = y * width + x
            rows[point, 0] = shape_of_codes[codes[0, y + REACH, x + 2 * REACH]] * filters
            rows[point, 1] = shape_of_codes[codes[1, y + 2 * REACH, x + REACH]] * filters
            rows[point, 2] = shape_of_codes[codes[2, y + 2 * REACH, x + 2 * REACH]] * filters
            rows[point, 3] = shape_of_codes[codes[3, y + 2 * REACH, x]] * filters


@inlined
def _read_codes(board: LineBoard) -> None:
    """Fill `codes`: a line that ends a point further lacks the first digit and has one more."""
    codes, stones = board.codes, board.stones
    for y in range(1, stones.shape[0]):
        for x in range(1, stones.shape[1]):
            codes[0, y, x] = codes[0, y, x - 1] >> _DIGIT | stones[y, x] << _LAST_DIGIT
            codes[2, y, x] = codes[2, y - 1, x - 1] >> _DIGIT | stones[y, x] << _LAST_DIGIT
        for x in range(stones.shape[1] - 1):
            codes[1, y, x] = codes[1, y - 1, x] >> _DIGIT | stones[y, x] << _LAST_DIGIT
            codes[3, y, x] = codes[3, y - 1, x + 1] >> _DIGIT | stones[y, x] << _LAST_DIGIT


@inlined
def neighbour_weights(
    around: NDArray[np.float32], first: int
) -> tuple[Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes]:
    """Some filters' weights of a point's neighbours and of itself, row by row."""
    filters = around.shape[1]
    return (
        lanes_at(around, first),
        lanes_at(around, filters + first),
        lanes_at(around, 2 * filters + first),
        lanes_at(around, 3 * filters + first),
        lanes_at(around, 4 * filters + first),
        lanes_at(around, 5 * filters + first),
        lanes_at(around, 6 * filters + first),
        lanes_at(around, 7 * filters + first),
        lanes_at(around, 8 * filters + first),
    )


@inlined
def weigh_neighbours(
    grid: NDArray[np.float32],
    y: int,
    x: int,
    weights: tuple[Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes],
) -> Lanes:
    """The weighted sum of a point and its eight neighbours in a grid of `new_grid`."""
    row = grid.shape[1] * LANES
    above = y * row + x * LANES
    here, below = above + row, above + 2 * row
    upper = multiply(lanes_at(grid, above), weights[0])
    upper = add(upper, multiply(lanes_at(grid, above + LANES), weights[1]))
    upper = add(upper, multiply(lanes_at(grid, above + 2 * LANES), weights[2]))
    middle = multiply(lanes_at(grid, here), weights[3])
    middle = add(middle, multiply(lanes_at(grid, here + LANES), weights[4]))
    middle = add(middle, multiply(lanes_at(grid, here + 2 * LANES), weights[5]))
    lower = multiply(lanes_at(grid, below), weights[6])
    lower = add(lower, multiply(lanes_at(grid, below + LANES), weights[7]))
    lower = add(lower, multiply(lanes_at(grid, below + 2 * LANES), weights[8]))
    total: Lanes = add(add(upper, middle), lower)
    return total
