"""The kernel of networks of line shapes: from stones to priors and chances, in float32.

Shape letters: F filters, U units of the value's hidden layer, N outputs of the value head; H and W sides of the
board, A its points.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.network.architectures.line_shapes import DIRECTIONS, LENGTH, NO_PLANE, OFF_BOARD, REACH, SHAPES
from gobang.rules.compiled import inlined, kernel
from gobang.types import Variant

_DIGIT: Final = np.int32(2)  # bits of a digit of a code
_LAST_DIGIT: Final = np.int32(2 * LENGTH - 2)  # bits before the last one


class LineWeights(NamedTuple):
    """The weights of a network as the kernel reads them: channels last."""

    shape_of_codes: NDArray[np.int32]  # [4^9]
    shapes: NDArray[np.float32]  # [SHAPES, F], and the same again for black where the planes tell who moves
    bias: NDArray[np.float32]  # [F]
    around: NDArray[np.float32]  # [9, F]
    around_bias: NDArray[np.float32]  # [F]
    point: NDArray[np.float32]  # [F]
    point_bias: NDArray[np.float32]  # [1]
    pooled: NDArray[np.float32]  # [2F, F]
    pooled_bias: NDArray[np.float32]  # [F]
    hidden: NDArray[np.float32]  # [2F, U]
    hidden_bias: NDArray[np.float32]  # [U]
    outcome: NDArray[np.float32]  # [U, N]
    outcome_bias: NDArray[np.float32]  # [N]


class Scratch(NamedTuple):
    """What the kernel writes on its way, for one position at a time."""

    stones: NDArray[np.int32]  # [H + 8, W + 8] digits, with a rim that is off the board
    codes: NDArray[np.int32]  # [4, H + 8, W + 8] of the lines that end at each point, the rim's too
    lines: NDArray[np.float32]  # [H + 2, W + 2, F] with a rim of zeros
    features: NDArray[np.float32]  # [A, F]
    summary: NDArray[np.float32]  # [2F] mean and greatest of each feature
    policy: NDArray[np.float32]  # [F] weights of the features
    units: NDArray[np.float32]  # [U]


def new_scratch(weights: LineWeights, variant: Variant) -> Scratch:
    """Memory for one thread."""
    height, width, filters = variant.height, variant.width, len(weights.bias)
    return Scratch(
        stones=np.full((height + 2 * REACH, width + 2 * REACH), OFF_BOARD, np.int32),
        codes=np.full((len(DIRECTIONS), height + 2 * REACH, width + 2 * REACH), 4**LENGTH - 1, np.int32),
        lines=np.zeros((height + 2, width + 2, filters), np.float32),
        features=np.empty((variant.points, filters), np.float32),
        summary=np.empty(2 * filters, np.float32),
        policy=np.empty(filters, np.float32),
        units=np.empty(len(weights.hidden_bias), np.float32),
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
    _look_up(weights, scratch, SHAPES if is_black else 0)
    _mix_neighbours(weights, scratch)
    _weigh_features(weights, scratch)
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
def _look_up(weights: LineWeights, scratch: Scratch, first: int) -> None:
    """Fill `lines`: the sum of the rows of a point's four shapes, from that of the `first` shape on."""
    codes, shapes, known = scratch.codes, weights.shapes[first:], weights.shape_of_codes
    for y in range(codes.shape[1] - 2 * REACH):
        for x in range(codes.shape[2] - 2 * REACH):
            one, two = known[codes[0, y + REACH, x + 2 * REACH]], known[codes[1, y + 2 * REACH, x + REACH]]
            three, four = known[codes[2, y + 2 * REACH, x + 2 * REACH]], known[codes[3, y + 2 * REACH, x]]
            for k in range(shapes.shape[1]):
                total = shapes[one, k] + shapes[two, k] + shapes[three, k] + shapes[four, k] + weights.bias[k]
                scratch.lines[y + 1, x + 1, k] = max(total, np.float32(0))


@inlined
def _mix_neighbours(weights: LineWeights, scratch: Scratch) -> None:
    """Fill `features` from each point and its eight neighbours, and `summary` from all points."""
    lines, features, summary = scratch.lines, scratch.features, scratch.summary
    height, width, filters = lines.shape[0] - 2, lines.shape[1] - 2, lines.shape[2]
    for k in range(2 * filters):
        summary[k] = 0
    for y in range(height):
        for x in range(0, width - 2, 3):  # three at a time, which share most of what they read
            point = y * width + x
            for k in range(filters):
                one = _feature(weights, lines, y, x, k)
                two = _feature(weights, lines, y, x + 1, k)
                three = _feature(weights, lines, y, x + 2, k)
                features[point, k] = one
                features[point + 1, k] = two
                features[point + 2, k] = three
        for x in range(width - width % 3, width):
            for k in range(filters):
                features[y * width + x, k] = _feature(weights, lines, y, x, k)
    for point in range(0, len(features) - 3, 4):
        for k in range(filters):
            one, two = features[point, k], features[point + 1, k]
            three, four = features[point + 2, k], features[point + 3, k]
            summary[k] += (one + two) + (three + four)
            summary[filters + k] = max(summary[filters + k], max(max(one, two), max(three, four)))
    for point in range(len(features) - len(features) % 4, len(features)):
        for k in range(filters):
            summary[k] += features[point, k]
            summary[filters + k] = max(summary[filters + k], features[point, k])
    for k in range(filters):
        summary[k] /= np.float32(height * width)


@inlined
def _feature(weights: LineWeights, lines: NDArray[np.float32], y: int, x: int, k: int) -> np.float32:
    """Of a point, from it and its eight neighbours."""
    around = weights.around
    total = weights.around_bias[k]
    total += lines[y, x, k] * around[0, k]
    total += lines[y, x + 1, k] * around[1, k]
    total += lines[y, x + 2, k] * around[2, k]
    total += lines[y + 1, x, k] * around[3, k]
    total += lines[y + 1, x + 1, k] * around[4, k]
    total += lines[y + 1, x + 2, k] * around[5, k]
    total += lines[y + 2, x, k] * around[6, k]
    total += lines[y + 2, x + 1, k] * around[7, k]
    total += lines[y + 2, x + 2, k] * around[8, k]
    return max(total, np.float32(0))


@inlined
def _weigh_features(weights: LineWeights, scratch: Scratch) -> None:
    """Fill `policy`: fixed weights, and those that the whole board asks for."""
    filters = len(weights.bias)
    for k in range(filters):
        scratch.policy[k] = weights.pooled_bias[k]
    for index in range(2 * filters):
        for k in range(filters):
            scratch.policy[k] += scratch.summary[index] * weights.pooled[index, k]
    for k in range(filters):
        scratch.policy[k] = weights.point[k] + scratch.policy[k] / np.float32(filters)


@inlined
def _write_priors(weights: LineWeights, scratch: Scratch, priors: NDArray[np.float32]) -> None:
    for point in range(len(priors)):
        logit = weights.point_bias[0]
        for k in range(len(scratch.policy)):
            logit += scratch.features[point, k] * scratch.policy[k]
        priors[point] = logit
    _make_shares(priors)


@inlined
def _write_outcome(weights: LineWeights, scratch: Scratch, outcome: NDArray[np.float32]) -> None:
    for unit in range(len(scratch.units)):
        scratch.units[unit] = weights.hidden_bias[unit]
    for index in range(len(scratch.summary)):
        for unit in range(len(scratch.units)):
            scratch.units[unit] += scratch.summary[index] * weights.hidden[index, unit]
    for output in range(len(outcome)):
        outcome[output] = weights.outcome_bias[output]
        for unit in range(len(scratch.units)):
            outcome[output] += max(scratch.units[unit], np.float32(0)) * weights.outcome[unit, output]
    if len(outcome) > 1:
        _make_shares(outcome)


@inlined
def _make_shares(logits: NDArray[np.float32]) -> None:
    """Softmax, in place."""
    highest, total = logits[0], np.float32(0)
    for index in range(len(logits)):
        highest = max(highest, logits[index])
    for index in range(len(logits)):
        logits[index] = np.exp(logits[index] - highest)
        total += logits[index]
    for index in range(len(logits)):
        logits[index] /= total
