"""The kernel of networks of line shapes: from stones to priors and chances, in float32.

Filters are taken sixteen at a time from the table to the summary, so that what lies between stays in the nearest
cache.

Shape letters: F filters and U units of the value's hidden layer, both filled up with zeros to whole lanes; N outputs of
the value head; H and W sides of the board, A its points, and of these Z filled up to whole lanes.
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
    read_cells,
    read_planes,
    weigh_neighbours,
)
from gobang.network.architectures.line_shapes import DIRECTIONS, NO_PLANE, SHAPES
from gobang.rules.compiled import inlined, kernel
from gobang.rules.lanes import (
    LANES,
    Lanes,
    add,
    exponential,
    four_summed,
    greater,
    greatest_of,
    lanes_at,
    lined_up,
    multiply,
    put_lanes,
    spread,
    sum_of,
    whole_lanes,
)
from gobang.types import Variant


class LineWeights(NamedTuple):
    """The weights of a network as the kernel reads them: channels last."""

    shape_of_codes: NDArray[np.int16]  # [4^9]
    shapes: NDArray[np.int16]  # [SHAPES, F] in steps, and the same again for black where the planes tell who moves
    step: np.float32  # so that four rows add up to int16
    bias: NDArray[np.float32]  # [F]
    around: NDArray[np.float32]  # [9, F]
    around_bias: NDArray[np.float32]  # [F]
    policy: NDArray[np.float32]  # [2F, F] from the summary to the weights of the features
    policy_bias: NDArray[np.float32]  # [F] these weights without it
    point_bias: NDArray[np.float32]  # [1]
    hidden: NDArray[np.float32]  # [2F, U]
    hidden_bias: NDArray[np.float32]  # [U]
    outcome: NDArray[np.float32]  # [N, U]
    outcome_bias: NDArray[np.float32]  # [N]


class Scratch(NamedTuple):
    """What the kernel writes on its way, for one position at a time."""

    board: LineBoard
    rows: NDArray[np.int32]  # [A, 4] where the rows of a point's shapes begin in the table
    lines: NDArray[np.float32]  # a grid of `new_grid`, of the filters in hand
    features: NDArray[np.float32]  # [A, F]
    summary: NDArray[np.float32]  # [2F] mean and greatest of each feature
    policy: NDArray[np.float32]  # [F] weights of the features
    logits: NDArray[np.float32]  # [Z] of the points, and -infinity
    units: NDArray[np.float32]  # [U]


def new_scratch(weights: LineWeights, variant: Variant) -> Scratch:
    """Memory for one thread."""
    height, width, filters = variant.height, variant.width, len(weights.bias)
    return Scratch(
        board=new_board(height, width),
        rows=np.zeros((variant.points, len(DIRECTIONS)), np.int32),
        lines=new_grid(height, width),
        features=lined_up(np.empty((variant.points, filters), np.float32)),
        summary=lined_up(np.empty(2 * filters, np.float32)),
        policy=lined_up(np.empty(filters, np.float32)),
        logits=lined_up(np.full(whole_lanes(variant.points), -np.inf, np.float32)),
        units=lined_up(np.empty(len(weights.hidden_bias), np.float32)),
    )


@kernel
def answer(
    weights: LineWeights,
    scratch: Scratch,
    planes: NDArray[np.float32],
    stone_planes: int,
    black_plane: int,
    priors: NDArray[np.float32],
    outcome: NDArray[np.float32],
) -> None:
    """Fill `priors` [B, A], and `outcome` [B, N] with chances; where N is 1 with the value before its tanh."""
    for row in range(len(planes)):
        read_planes(scratch.board, planes, row, stone_planes)
        is_black = black_plane != NO_PLANE and planes[row, black_plane, 0, 0] != 0
        _answer_board(weights, scratch, is_black, priors[row], outcome[row])


@inlined
def answer_cells(
    weights: LineWeights,
    scratch: Scratch,
    cells: NDArray[np.int8],
    to_move: int,
    priors: NDArray[np.float32],
    outcome: NDArray[np.float32],
) -> None:
    """The same for one position as a search has it: `priors` [A] and `outcome` [N]."""
    read_cells(scratch.board, cells, to_move)
    is_black = len(weights.shapes) > SHAPES and to_move == 0
    _answer_board(weights, scratch, is_black, priors, outcome)


@inlined
def _answer_board(
    weights: LineWeights, scratch: Scratch, is_black: bool, priors: NDArray[np.float32], outcome: NDArray[np.float32]
) -> None:
    filters = len(weights.bias)
    find_rows(scratch.board, weights.shape_of_codes, filters, scratch.rows)
    part = SHAPES * filters if is_black else 0
    for first in range(0, filters, LANES):
        _look_up(weights, scratch, part, first)
        _mix_neighbours(weights, scratch, first)
    for first in range(0, filters, LANES):
        put_lanes(scratch.policy, first, _summed_up(scratch.summary, weights.policy, weights.policy_bias, first))
    _write_priors(weights, scratch, priors)
    _write_outcome(weights, scratch, outcome)


@inlined
def _look_up(weights: LineWeights, scratch: Scratch, part: int, first: int) -> None:
    """Fill `lines` with some filters' sums of a point's four rows, in the part of the table that begins there."""
    table, rows, begin = weights.shapes, scratch.rows, part + first
    width = scratch.lines.shape[1]
    bias, step, zero = lanes_at(weights.bias, first), spread(weights.step), spread(np.float32(0))
    for y in range(scratch.lines.shape[0] - 2):
        for x in range(width - 2):
            point = y * (width - 2) + x
            one, two, three, four = rows[point, 0], rows[point, 1], rows[point, 2], rows[point, 3]
            total = four_summed(table, one + begin, two + begin, three + begin, four + begin)
            total = add(bias, multiply(total, step))
            put_lanes(scratch.lines, ((y + 1) * width + x + 1) * LANES, greater(total, zero))


@inlined
def _mix_neighbours(weights: LineWeights, scratch: Scratch, first: int) -> None:
    """Fill some filters of `features` from each point and its eight neighbours, and of `summary` from all points."""
    lines, filters = scratch.lines, len(weights.bias)
    width = lines.shape[1] - 2
    around, bias = neighbour_weights(weights.around, first), lanes_at(weights.around_bias, first)
    zero = spread(np.float32(0))
    total, highest = zero, zero
    for y in range(lines.shape[0] - 2):
        for x in range(width):
            feature = greater(add(bias, weigh_neighbours(lines, y, x, around)), zero)
            put_lanes(scratch.features, (y * width + x) * filters + first, feature)
            total, highest = add(total, feature), greater(highest, feature)
    share = spread(np.float32(1) / np.float32(len(scratch.features)))
    put_lanes(scratch.summary, first, multiply(total, share))
    put_lanes(scratch.summary, filters + first, highest)


@inlined
def _summed_up(
    numbers: NDArray[np.float32], matrix: NDArray[np.float32], bias: NDArray[np.float32], first: int
) -> Lanes:
    """Some columns of `numbers` [N] times `matrix` [N, M] plus `bias` [M]; N is a multiple of the lanes' number."""
    width = len(bias)
    zero = spread(np.float32(0))
    one, two, three, four = lanes_at(bias, first), zero, zero, zero  # so that none waits for the one before
    for row in range(0, len(numbers), 4):
        place = row * width + first
        one = add(one, multiply(spread(numbers[row]), lanes_at(matrix, place)))
        two = add(two, multiply(spread(numbers[row + 1]), lanes_at(matrix, place + width)))
        three = add(three, multiply(spread(numbers[row + 2]), lanes_at(matrix, place + 2 * width)))
        four = add(four, multiply(spread(numbers[row + 3]), lanes_at(matrix, place + 3 * width)))
    total: Lanes = add(add(one, two), add(three, four))
    return total


@inlined
def _write_priors(weights: LineWeights, scratch: Scratch, priors: NDArray[np.float32]) -> None:
    features, logits, filters = scratch.features, scratch.logits, len(weights.bias)
    for point in range(len(features)):
        total = multiply(lanes_at(features, point * filters), lanes_at(scratch.policy, 0))
        for first in range(LANES, filters, LANES):
            total = add(total, multiply(lanes_at(features, point * filters + first), lanes_at(scratch.policy, first)))
        logits[point] = sum_of(total) + weights.point_bias[0]
    _make_shares(logits)
    for point in range(len(priors)):
        priors[point] = logits[point]
    for place in range(len(priors), len(logits)):
        logits[place] = -np.inf


@inlined
def _make_shares(logits: NDArray[np.float32]) -> None:
    """Softmax of whole lanes, in place."""
    highest = lanes_at(logits, 0)
    for place in range(LANES, len(logits), LANES):
        highest = greater(highest, lanes_at(logits, place))
    top = spread(-greatest_of(highest))
    total = spread(np.float32(0))
    for place in range(0, len(logits), LANES):
        power = exponential(add(lanes_at(logits, place), top))
        put_lanes(logits, place, power)
        total = add(total, power)
    share = spread(np.float32(1) / sum_of(total))
    for place in range(0, len(logits), LANES):
        put_lanes(logits, place, multiply(lanes_at(logits, place), share))


@inlined
def _write_outcome(weights: LineWeights, scratch: Scratch, outcome: NDArray[np.float32]) -> None:
    units, zero = scratch.units, spread(np.float32(0))
    for first in range(0, len(units), LANES):
        put_lanes(units, first, greater(_summed_up(scratch.summary, weights.hidden, weights.hidden_bias, first), zero))
    for output in range(len(outcome)):
        total = zero
        for first in range(0, len(units), LANES):
            total = add(total, multiply(lanes_at(units, first), lanes_at(weights.outcome, output * len(units) + first)))
        outcome[output] = sum_of(total) + weights.outcome_bias[output]
    if len(outcome) > 1:
        _make_few_shares(outcome)


@inlined
def _make_few_shares(logits: NDArray[np.float32]) -> None:
    """Softmax of fewer than fill lanes, in place."""
    highest, total = logits[0], np.float32(0)
    for index in range(len(logits)):
        highest = max(highest, logits[index])
    for index in range(len(logits)):
        logits[index] = np.exp(logits[index] - highest)
        total += logits[index]
    for index in range(len(logits)):
        logits[index] /= total
