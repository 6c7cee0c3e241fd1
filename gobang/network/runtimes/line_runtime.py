"""Networks of line shapes, run by a kernel in float32: without torch and openvino, on any CPU.

Positions are answered one after another, so that all that is computed of one stays in the processor's nearest caches.

Shape letters: F filters, U units of the value's hidden layer, N outputs of the value head; H and W sides of the
board, A its points.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidCheckpoint
from gobang.network.architectures.architecture import options_of
from gobang.network.architectures.line_shapes import (
    DIRECTIONS,
    LENGTH,
    NO_PLANE,
    OFF_BOARD,
    REACH,
    SHAPES,
    black_plane,
    shape_of_codes,
    stone_planes,
)
from gobang.network.architectures.options import LineNetOptions
from gobang.network.checkpoint import Checkpoint
from gobang.network.runtimes.runtime import Answer
from gobang.rules.compiled import inlined, kernel
from gobang.types import Variant

_LEAST_PART: Final = 4  # positions; smaller parts lose more to their overhead than a second thread gains
_DIGIT: Final = np.int32(2)  # bits of a digit of a code
_LAST_DIGIT: Final = np.int32(2 * LENGTH - 2)  # bits before the last one
_LEAST_PROBABILITY: Final = 1e-6  # as in `logits_from_value` of the twin in torch


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


class Pending(NamedTuple):
    """A batch, and where its answer is written to."""

    planes: NDArray[np.float32]  # [B, C, H, W]
    priors: NDArray[np.float32]  # [B, A]
    outcome: NDArray[np.float32]  # [B, N]
    parts: list[Future[None]]  # under way; none if the batch waits for `finish`


class LineRuntime:
    """Runs a network on threads of its own; with one thread in the one that calls `finish`, which spares a wake-up."""

    def __init__(self, checkpoint: Checkpoint, variant: Variant, *, threads: int = 1, batches: int = 1) -> None:
        """`threads` in all are divided among the `batches` under way at once."""
        spec = checkpoint.spec
        self._weights = _read_weights(checkpoint)
        self._stone_planes, self._black_plane = stone_planes(spec), black_plane(spec)
        self._players = spec.players
        self._is_scalar = spec.scalar_value
        self._variant = variant
        self._parts = max(1, threads // batches)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._idle: list[Scratch] = []  # to use again

    def start(self, planes: NDArray[np.float32]) -> Pending:
        """Queue the planes for the threads, if there are several."""
        priors = np.empty((len(planes), self._variant.points), np.float32)
        outcome = np.empty((len(planes), len(self._weights.outcome_bias)), np.float32)
        if self._pool is None:
            return Pending(planes, priors, outcome, [])
        count = max(1, min(self._parts, len(planes) // _LEAST_PART))
        pieces = zip(*(np.array_split(array, count) for array in (planes, priors, outcome)), strict=True)
        return Pending(planes, priors, outcome, [self._pool.submit(self._answer, *piece) for piece in pieces])

    def finish(self, pending: Pending) -> Answer:
        """Wait, or compute; several threads may do so at once."""
        for part in pending.parts:
            part.result()
        if not pending.parts:
            self._answer(pending.planes, pending.priors, pending.outcome)
        outcome = pending.outcome
        return pending.priors, _chances_from_value(outcome, self._players) if self._is_scalar else outcome

    def _answer(self, planes: NDArray[np.float32], priors: NDArray[np.float32], outcome: NDArray[np.float32]) -> None:
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = _new_scratch(self._weights, self._variant)
        answer(self._weights, scratch, planes, self._stone_planes, self._black_plane, priors, outcome)
        self._idle.append(scratch)


def _read_weights(checkpoint: Checkpoint) -> LineWeights:
    """The checkpoint's arrays, in the order in which the kernel goes through them."""
    options = options_of(checkpoint.spec)
    assert isinstance(options, LineNetOptions)
    filters, units, outputs = options.filters, options.value_units, checkpoint.spec.value_outputs
    arrays = _Arrays(checkpoint.tensors)
    return LineWeights(
        shape_of_codes=shape_of_codes(),
        shapes=_tables(arrays, filters, has_black=black_plane(checkpoint.spec) != NO_PLANE),
        bias=arrays.take("trunk.bias", filters),
        around=np.ascontiguousarray(arrays.take("trunk.around.weight", filters, 1, 3, 3).reshape(filters, 9).T),
        around_bias=arrays.take("trunk.around.bias", filters),
        point=arrays.take("policy.point.weight", 1, filters, 1, 1).reshape(filters),
        point_bias=arrays.take("policy.point.bias", 1),
        pooled=np.ascontiguousarray(arrays.take("policy.pooled.weight", filters, 2 * filters).T),
        pooled_bias=arrays.take("policy.pooled.bias", filters),
        hidden=np.ascontiguousarray(arrays.take("outcome.hidden.weight", units, 2 * filters).T),
        hidden_bias=arrays.take("outcome.hidden.bias", units),
        outcome=np.ascontiguousarray(arrays.take("outcome.dense.weight", outputs, units).T),
        outcome_bias=arrays.take("outcome.dense.bias", outputs),
    )


class _Arrays:
    """The tensors of a checkpoint, each held to its shape, as the kernel would read beyond a shorter one."""

    def __init__(self, tensors: Mapping[str, NDArray[np.float32]]) -> None:
        self._tensors = tensors

    def take(self, name: str, *shape: int) -> NDArray[np.float32]:
        """A tensor; InvalidCheckpoint if it is missing or has another shape."""
        found = self._tensors.get(name)
        if found is None or found.shape != shape:
            has = "is missing" if found is None else f"has shape {found.shape}"
            raise InvalidCheckpoint(f"weights do not fit architecture 'line_net': {name} {has}, not {shape}")
        return np.ascontiguousarray(found, np.float32)


def _tables(arrays: _Arrays, filters: int, *, has_black: bool) -> NDArray[np.float32]:
    table = arrays.take("trunk.shapes.weight", SHAPES, filters)
    return (
        np.concatenate((table, table + arrays.take("trunk.for_black.weight", SHAPES, filters))) if has_black else table
    )


def _new_scratch(weights: LineWeights, variant: Variant) -> Scratch:
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


def _chances_from_value(value: NDArray[np.float32], players: int) -> NDArray[np.float32]:
    """Softmax of `logits_from_value`, with the tanh before it: [B, 1] -> [B, P + 1]."""
    win = np.maximum((1 + (players - 1) * np.tanh(value)) / players, 0)
    columns = [win, *[(1 - win) / (players - 1)] * (players - 1), np.zeros_like(win)]
    chances = np.maximum(np.concatenate(columns, axis=1), np.float32(_LEAST_PROBABILITY))
    shares: NDArray[np.float32] = chances / chances.sum(axis=1, keepdims=True)
    return shares


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
        _read_stones(planes, row, stone_planes, scratch.stones)
        _read_codes(scratch)
        _look_up(weights, scratch, SHAPES if black_plane != NO_PLANE and planes[row, black_plane, 0, 0] else 0)
        _mix_neighbours(weights, scratch)
        _weigh_features(weights, scratch)
        _write_priors(weights, scratch, row, priors)
        _write_outcome(weights, scratch, row, outcome)


@inlined
def _read_stones(planes: NDArray[np.float32], row: int, stone_planes: int, stones: NDArray[np.int32]) -> None:
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
    for point in range(len(features)):
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
def _write_priors(weights: LineWeights, scratch: Scratch, row: int, priors: NDArray[np.float32]) -> None:
    for point in range(priors.shape[1]):
        logit = weights.point_bias[0]
        for k in range(len(scratch.policy)):
            logit += scratch.features[point, k] * scratch.policy[k]
        priors[row, point] = logit
    _make_shares(priors, row)


@inlined
def _write_outcome(weights: LineWeights, scratch: Scratch, row: int, outcome: NDArray[np.float32]) -> None:
    for unit in range(len(scratch.units)):
        scratch.units[unit] = weights.hidden_bias[unit]
    for index in range(len(scratch.summary)):
        for unit in range(len(scratch.units)):
            scratch.units[unit] += scratch.summary[index] * weights.hidden[index, unit]
    for output in range(outcome.shape[1]):
        outcome[row, output] = weights.outcome_bias[output]
        for unit in range(len(scratch.units)):
            outcome[row, output] += max(scratch.units[unit], np.float32(0)) * weights.outcome[unit, output]
    if outcome.shape[1] > 1:
        _make_shares(outcome, row)


@inlined
def _make_shares(logits: NDArray[np.float32], row: int) -> None:
    """Softmax of a row, in place."""
    highest, total = logits[row, 0], np.float32(0)
    for index in range(logits.shape[1]):
        highest = max(highest, logits[row, index])
    for index in range(logits.shape[1]):
        logits[row, index] = np.exp(logits[row, index] - highest)
        total += logits[row, index]
    for index in range(logits.shape[1]):
        logits[row, index] /= total
