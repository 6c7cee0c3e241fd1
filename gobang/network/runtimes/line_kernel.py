"""The kernel of networks of line shapes: from stones to priors and chances, in float32.

Filters are taken sixteen at a time from the table to the summary, so that what lies between stays in the nearest
cache.

Shape letters: F filters and U units of the value's hidden layer, both filled up with zeros to whole lanes; N outputs of
the value head; H and W sides of the board, A its points, and of these Z filled up to whole lanes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.network.architectures.line_shapes import DIRECTIONS, LENGTH, NO_PLANE, OFF_BOARD, REACH, SHAPES
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
)
from gobang.types import Variant

_DIGIT: Final = np.int32(2)  # bits of a digit of a code
_LAST_DIGIT: Final = np.int32(2 * LENGTH - 2)  # bits before the last one


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

    stones: NDArray[np.int32]  # [H + 8, W + 8] digits, with a rim that is off the board
    codes: NDArray[np.int32]  # [4, H + 8, W + 8] of the lines that end at each point, the rim's too
    rows: NDArray[np.int32]  # [A, 4] where the rows of a point's shapes begin in the table
    lines: NDArray[np.float32]  # [H + 2, W + 2, LANES] of the filters in hand, with a rim of zeros
    features: NDArray[np.float32]  # [A, F]
    summary: NDArray[np.float32]  # [2F] mean and greatest of each feature
    policy: NDArray[np.float32]  # [F] weights of the features
    logits: NDArray[np.float32]  # [Z] of the points, and -infinity
    units: NDArray[np.float32]  # [U]


def whole_lanes(count: int) -> int:
    """The least multiple of the lanes' number that is not below `count`."""
    return -(-count // LANES) * LANES


def new_scratch(weights: LineWeights, variant: Variant) -> Scratch:
    """Memory for one thread."""
    height, width, filters = variant.height, variant.width, len(weights.bias)
    return Scratch(
        stones=np.full((height + 2 * REACH, width + 2 * REACH), OFF_BOARD, np.int32),
        codes=np.full((len(DIRECTIONS), height + 2 * REACH, width + 2 * REACH), 4**LENGTH - 1, np.int32),
        rows=np.zeros((variant.points, len(DIRECTIONS)), np.int32),
        lines=lined_up(np.zeros((height + 2, width + 2, LANES), np.float32)),
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
        _read_planes(planes, row, stone_planes, scratch.stones)
        is_black = black_plane != NO_PLANE and planes[row, black_plane, 0, 0] != 0
        _answer_stones(weights, scratch, is_black, priors[row], outcome[row])


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
    height, width = scratch.stones.shape[0] - 2 * REACH, scratch.stones.shape[1] - 2 * REACH
    for y in range(height):
        for x in range(width):
            cell = cells[y * width + x]
            digit = np.int32(0) if cell == 0 else np.int32(1) if cell == to_move + 1 else np.int32(2)
            scratch.stones[REACH + y, REACH + x] = digit
    is_black = len(weights.shapes) > SHAPES and to_move == 0
    _answer_stones(weights, scratch, is_black, priors, outcome)


@inlined
def _answer_stones(
    weights: LineWeights, scratch: Scratch, is_black: bool, priors: NDArray[np.float32], outcome: NDArray[np.float32]
) -> None:
    _read_codes(scratch)
    _find_rows(weights, scratch, SHAPES if is_black else 0)
    for first in range(0, len(weights.bias), LANES):
        _look_up(weights, scratch, first)
        _mix_neighbours(weights, scratch, first)
    for first in range(0, len(weights.bias), LANES):
        put_lanes(scratch.policy, first, _summed_up(scratch.summary, weights.policy, weights.policy_bias, first))
    _write_priors(weights, scratch, priors)
    _write_outcome(weights, scratch, outcome)


@inlined
def _read_planes(planes: NDArray[np.float32], row: int, stone_planes: int, stones: NDArray[np.int32]) -> None:
    """Fill the digits of the points on the board; what lies around it stays."""
    for y in range(planes.shape[2]):
        for x in range(planes.shape[3]):
            stones[REACH + y, REACH + x] = np.int32(planes[row, 0, y, x])
    for plane in range(1, stone_planes):
        for y in range(planes.shape[2]):
            for x in range(planes.shape[3]):
                stones[REACH + y, REACH + x] |= np.int32(2) * np.int32(planes[row, plane, y, x])


@inlined
def _read_codes(scratch: Scratch) -> None:
    """Fill `codes`: a line that ends a point further lacks the first digit and has one more."""
    codes, stones = scratch.codes, scratch.stones
    for y in range(1, stones.shape[0]):
        for x in range(1, stones.shape[1]):
            codes[0, y, x] = codes[0, y, x - 1] >> _DIGIT | stones[y, x] << _LAST_DIGIT
            codes[2, y, x] = codes[2, y - 1, x - 1] >> _DIGIT | stones[y, x] << _LAST_DIGIT
        for x in range(stones.shape[1] - 1):
            codes[1, y, x] = codes[1, y - 1, x] >> _DIGIT | stones[y, x] << _LAST_DIGIT
            codes[3, y, x] = codes[3, y - 1, x + 1] >> _DIGIT | stones[y, x] << _LAST_DIGIT


@inlined
def _find_rows(weights: LineWeights, scratch: Scratch, first: int) -> None:
    """Fill `rows`, in the part of the table that begins with the row `first`."""
    codes, known, rows, filters = scratch.codes, weights.shape_of_codes, scratch.rows, len(weights.bias)
    width = codes.shape[2] - 2 * REACH
    for y in range(codes.shape[1] - 2 * REACH):
        for x in range(width):
            point = y * width + x
            rows[point, 0] = (first + known[codes[0, y + REACH, x + 2 * REACH]]) * filters
            rows[point, 1] = (first + known[codes[1, y + 2 * REACH, x + REACH]]) * filters
            rows[point, 2] = (first + known[codes[2, y + 2 * REACH, x + 2 * REACH]]) * filters
            rows[point, 3] = (first + known[codes[3, y + 2 * REACH, x]]) * filters


@inlined
def _look_up(weights: LineWeights, scratch: Scratch, first: int) -> None:
    """Fill `lines` with some filters' sums of a point's four rows."""
    table, rows = weights.shapes, scratch.rows
    width = scratch.lines.shape[1]
    bias, step, zero = lanes_at(weights.bias, first), spread(weights.step), spread(np.float32(0))
    for y in range(scratch.lines.shape[0] - 2):
        for x in range(width - 2):
            point = y * (width - 2) + x
            one, two, three, four = rows[point, 0], rows[point, 1], rows[point, 2], rows[point, 3]
            total = four_summed(table, one + first, two + first, three + first, four + first)
            total = add(bias, multiply(total, step))
            put_lanes(scratch.lines, ((y + 1) * width + x + 1) * LANES, greater(total, zero))


@inlined
def _mix_neighbours(weights: LineWeights, scratch: Scratch, first: int) -> None:
    """Fill some filters of `features` from each point and its eight neighbours, and of `summary` from all points."""
    lines, around, filters = scratch.lines, weights.around, len(weights.bias)
    row = lines.shape[1] * LANES
    bias, zero = lanes_at(weights.around_bias, first), spread(np.float32(0))
    one, two, three = lanes_at(around, first), lanes_at(around, filters + first), lanes_at(around, 2 * filters + first)
    four, five = lanes_at(around, 3 * filters + first), lanes_at(around, 4 * filters + first)
    six, seven = lanes_at(around, 5 * filters + first), lanes_at(around, 6 * filters + first)
    eight, nine = lanes_at(around, 7 * filters + first), lanes_at(around, 8 * filters + first)
    total, highest = zero, zero
    for y in range(lines.shape[0] - 2):
        for x in range(lines.shape[1] - 2):
            above = y * row + x * LANES
            here, below = above + row, above + 2 * row
            upper = add(bias, multiply(lanes_at(lines, above), one))
            upper = add(upper, multiply(lanes_at(lines, above + LANES), two))
            upper = add(upper, multiply(lanes_at(lines, above + 2 * LANES), three))
            middle = multiply(lanes_at(lines, here), four)
            middle = add(middle, multiply(lanes_at(lines, here + LANES), five))
            middle = add(middle, multiply(lanes_at(lines, here + 2 * LANES), six))
            lower = multiply(lanes_at(lines, below), seven)
            lower = add(lower, multiply(lanes_at(lines, below + LANES), eight))
            lower = add(lower, multiply(lanes_at(lines, below + 2 * LANES), nine))
            feature = greater(add(add(upper, middle), lower), zero)
            put_lanes(scratch.features, (y * (lines.shape[1] - 2) + x) * filters + first, feature)
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
