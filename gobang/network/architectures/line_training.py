"""The trunk of line_net forwards and backwards by kernels, for training on a CPU.

What torch does step by step for a whole batch, and writes to memory between the steps, is done here for a position and
sixteen filters at a time; what the way back needs of the way forth, but for the features, is computed again.

Shape letters: B positions, A points of the board, F filters, a multiple of the lanes' number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.network.architectures.line_board import (
    LineBoard,
    find_rows,
    neighbour_weights,
    new_board,
    new_grid,
    read_planes,
    weigh_neighbours,
)
from gobang.rules.compiled import inlined, kernel
from gobang.rules.lanes import LANES, Lanes, add, greater, if_greater, lanes_at, multiply, put_lanes, spread


class TrunkWeights(NamedTuple):
    """The trunk's weights, or their gradients."""

    shapes: NDArray[np.float32]  # [SHAPES, F]
    for_black: NDArray[np.float32]  # [SHAPES, F], added if black is to move; [0, F] where nobody is told
    bias: NDArray[np.float32]  # [F]
    around: NDArray[np.float32]  # [9, F]
    around_bias: NDArray[np.float32]  # [F]


class TrunkAnswer(NamedTuple):
    """What the trunk says of a batch, and what the way back wants to know."""

    rows: NDArray[np.int32]  # [B, A, 4] where the rows of each point's shapes begin
    is_black: NDArray[np.bool_]  # [B] whether black's rows are added
    features: NDArray[np.float32]  # [B, A, F]
    summary: NDArray[np.float32]  # [B, 2F] mean and greatest of each feature
    peaks: NDArray[np.float32]  # [B, F] the first point at which it is greatest


class Desk(NamedTuple):
    """Memory to work in."""

    board: LineBoard
    lines: NDArray[np.float32]  # a grid of `new_grid`, of the filters in hand
    slopes: NDArray[np.float32]  # another


def new_desk(height: int, width: int) -> Desk:
    """Memory for a board of these sides."""
    return Desk(board=new_board(height, width), lines=new_grid(height, width), slopes=new_grid(height, width))


def new_answer(is_black: NDArray[np.bool_], points: int, filters: int) -> TrunkAnswer:
    """Room for a batch, of which black is to move in some."""
    batch = len(is_black)
    return TrunkAnswer(
        rows=np.empty((batch, points, 4), np.int32),
        is_black=is_black,
        features=np.empty((batch, points, filters), np.float32),
        summary=np.empty((batch, 2 * filters), np.float32),
        peaks=np.empty((batch, filters), np.float32),
    )


@kernel
def go_forth(
    weights: TrunkWeights,
    desk: Desk,
    shape_of_codes: NDArray[np.int16],
    planes: NDArray[np.float32],
    stone_planes: int,
    answer: TrunkAnswer,
) -> None:
    """Fill an answer, but for `is_black`, which is given, from planes [B, C, H, W]."""
    filters = len(weights.bias)
    for row in range(len(planes)):
        read_planes(desk.board, planes, row, stone_planes)
        find_rows(desk.board, shape_of_codes, filters, answer.rows[row])
        for first in range(0, filters, LANES):
            _sum_lines(weights, desk, answer, row, first)
            _mix_and_summarise(weights, desk, answer, row, first)


@kernel
def go_back(
    weights: TrunkWeights,
    desk: Desk,
    answer: TrunkAnswer,
    of_features: NDArray[np.float32],
    of_summary: NDArray[np.float32],
    gradients: TrunkWeights,
) -> None:
    """Add to the gradients of the weights what follows from those of the features [B, A, F] and the summary [B, 2F]."""
    for row in range(len(answer.features)):
        for first in range(0, len(weights.bias), LANES):
            _sum_lines(weights, desk, answer, row, first)
            _find_slopes(desk, answer, of_features, of_summary, row, first)
            _learn_mixing(desk, gradients, first)
            _learn_rows(weights, desk, answer, gradients, row, first)


@inlined
def _sum_lines(weights: TrunkWeights, desk: Desk, answer: TrunkAnswer, row: int, first: int) -> None:
    """Fill `lines` with some filters' sums of a point's four rows."""
    rows, lines = answer.rows, desk.lines
    width = lines.shape[1]
    bias, zero = lanes_at(weights.bias, first), spread(np.float32(0))
    for y in range(lines.shape[0] - 2):
        for x in range(width - 2):
            point = y * (width - 2) + x
            total = add(bias, _four_rows(weights.shapes, rows, row, point, first))
            if answer.is_black[row]:
                total = add(total, _four_rows(weights.for_black, rows, row, point, first))
            put_lanes(lines, ((y + 1) * width + x + 1) * LANES, greater(total, zero))


@inlined
def _four_rows(table: NDArray[np.float32], rows: NDArray[np.int32], row: int, point: int, first: int) -> Lanes:
    one, two = lanes_at(table, rows[row, point, 0] + first), lanes_at(table, rows[row, point, 1] + first)
    three, four = lanes_at(table, rows[row, point, 2] + first), lanes_at(table, rows[row, point, 3] + first)
    total: Lanes = add(add(one, two), add(three, four))
    return total


@inlined
def _mix_and_summarise(weights: TrunkWeights, desk: Desk, answer: TrunkAnswer, row: int, first: int) -> None:
    """Write some filters of the features, their mean, the greatest and where that is."""
    points, filters = answer.features.shape[1], answer.features.shape[2]
    width = desk.lines.shape[1] - 2
    around, bias = neighbour_weights(weights.around, first), lanes_at(weights.around_bias, first)
    zero = spread(np.float32(0))
    total, highest, peak = zero, spread(np.float32(-1)), zero
    for y in range(desk.lines.shape[0] - 2):
        for x in range(width):
            point = y * width + x
            feature = greater(add(bias, weigh_neighbours(desk.lines, y, x, around)), zero)
            put_lanes(answer.features, (row * points + point) * filters + first, feature)
            total = add(total, feature)
            peak = if_greater(feature, highest, spread(np.float32(point)), peak)
            highest = greater(feature, highest)
    place = row * 2 * filters + first
    put_lanes(answer.summary, place, multiply(total, spread(np.float32(1) / np.float32(points))))
    put_lanes(answer.summary, place + filters, highest)
    put_lanes(answer.peaks, row * filters + first, peak)


@inlined
def _find_slopes(
    desk: Desk,
    answer: TrunkAnswer,
    of_features: NDArray[np.float32],
    of_summary: NDArray[np.float32],
    row: int,
    first: int,
) -> None:
    """Fill `slopes` with the gradients of the sums that became some filters of the features."""
    points, filters = answer.features.shape[1], answer.features.shape[2]
    width = desk.slopes.shape[1]
    zero, near = spread(np.float32(0)), spread(np.float32(0.25))
    place = row * 2 * filters + first
    of_mean = multiply(lanes_at(of_summary, place), spread(np.float32(1) / np.float32(points)))
    of_highest, peak = lanes_at(of_summary, place + filters), lanes_at(answer.peaks, row * filters + first)
    for y in range(desk.slopes.shape[0] - 2):
        for x in range(width - 2):
            point = y * (width - 2) + x
            place = (row * points + point) * filters + first
            off = add(peak, spread(np.float32(-point)))
            slope = add(lanes_at(of_features, place), of_mean)
            slope = add(slope, if_greater(near, multiply(off, off), of_highest, zero))
            slope = if_greater(lanes_at(answer.features, place), zero, slope, zero)
            put_lanes(desk.slopes, ((y + 1) * width + x + 1) * LANES, slope)


@inlined
def _learn_mixing(desk: Desk, gradients: TrunkWeights, first: int) -> None:
    """Add to the gradients of `around` and its bias."""
    lines, slopes, filters = desk.lines, desk.slopes, len(gradients.bias)
    width = lines.shape[1]
    one, two, three, four, five, six, seven, eight, nine = neighbour_weights(gradients.around, first)
    total = lanes_at(gradients.around_bias, first)
    for y in range(lines.shape[0] - 2):
        for x in range(width - 2):
            above = (y * width + x) * LANES
            here, below = above + width * LANES, above + 2 * width * LANES
            slope = lanes_at(slopes, here + LANES)
            total = add(total, slope)
            one = add(one, multiply(slope, lanes_at(lines, above)))
            two = add(two, multiply(slope, lanes_at(lines, above + LANES)))
            three = add(three, multiply(slope, lanes_at(lines, above + 2 * LANES)))
            four = add(four, multiply(slope, lanes_at(lines, here)))
            five = add(five, multiply(slope, lanes_at(lines, here + LANES)))
            six = add(six, multiply(slope, lanes_at(lines, here + 2 * LANES)))
            seven = add(seven, multiply(slope, lanes_at(lines, below)))
            eight = add(eight, multiply(slope, lanes_at(lines, below + LANES)))
            nine = add(nine, multiply(slope, lanes_at(lines, below + 2 * LANES)))
    put_lanes(gradients.around_bias, first, total)
    put_lanes(gradients.around, first, one)
    put_lanes(gradients.around, filters + first, two)
    put_lanes(gradients.around, 2 * filters + first, three)
    put_lanes(gradients.around, 3 * filters + first, four)
    put_lanes(gradients.around, 4 * filters + first, five)
    put_lanes(gradients.around, 5 * filters + first, six)
    put_lanes(gradients.around, 6 * filters + first, seven)
    put_lanes(gradients.around, 7 * filters + first, eight)
    put_lanes(gradients.around, 8 * filters + first, nine)


@inlined
def _learn_rows(
    weights: TrunkWeights, desk: Desk, answer: TrunkAnswer, gradients: TrunkWeights, row: int, first: int
) -> None:
    """Add to the gradients of the rows and of their bias."""
    one, two, three, four, five, six, seven, eight, nine = neighbour_weights(weights.around, first)
    turned = (nine, eight, seven, six, five, four, three, two, one)  # what a point gave to its neighbours comes back
    lines, rows, zero = desk.lines, answer.rows, spread(np.float32(0))
    width = lines.shape[1]
    total = lanes_at(gradients.bias, first)
    for y in range(lines.shape[0] - 2):
        for x in range(width - 2):
            point = y * (width - 2) + x
            line = lanes_at(lines, ((y + 1) * width + x + 1) * LANES)
            slope = if_greater(line, zero, weigh_neighbours(desk.slopes, y, x, turned), zero)
            total = add(total, slope)
            for direction in range(4):
                place = rows[row, point, direction] + first
                put_lanes(gradients.shapes, place, add(lanes_at(gradients.shapes, place), slope))
                if answer.is_black[row]:
                    put_lanes(gradients.for_black, place, add(lanes_at(gradients.for_black, place), slope))
    put_lanes(gradients.bias, first, total)
