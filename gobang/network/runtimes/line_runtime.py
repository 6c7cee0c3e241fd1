"""Networks of line shapes, run by a kernel in float32: without torch and openvino, on any CPU.

Positions are answered one after another, so that all that is computed of one stays in the processor's nearest caches.

Shape letters: F filters, N outputs of the value head; H and W sides of the board, A its points.
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
    NO_PLANE,
    SHAPES,
    black_plane,
    shape_of_codes,
    stone_planes,
)
from gobang.network.architectures.options import LineNetOptions
from gobang.network.checkpoint import Checkpoint
from gobang.network.runtimes.line_kernel import LineWeights, Scratch, answer, new_scratch
from gobang.network.runtimes.runtime import Answer
from gobang.rules.lanes import lined_up, whole_lanes
from gobang.types import Variant

_LEAST_PART: Final = 4  # positions; smaller parts lose more to their overhead than a second thread gains
_MOST_STEPS: Final = 2**15 // len(DIRECTIONS) - 1  # of a number in the table
_LEAST_STEP: Final = 1e-12
_LEAST_PROBABILITY: Final = 1e-6  # as in `logits_from_value` of the twin in torch


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
        self.weights = _read_weights(checkpoint)
        self._stone_planes, self._black_plane = stone_planes(spec), black_plane(spec)
        self._players = spec.players
        self.says_chances = not spec.scalar_value
        self._variant = variant
        self._parts = max(1, threads // batches)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._idle: list[Scratch] = []  # to use again

    def start(self, planes: NDArray[np.float32]) -> Pending:
        """Queue the planes for the threads, if there are several."""
        priors = np.empty((len(planes), self._variant.points), np.float32)
        outcome = np.empty((len(planes), len(self.weights.outcome_bias)), np.float32)
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
        return pending.priors, outcome if self.says_chances else _chances_from_value(outcome, self._players)

    def _answer(self, planes: NDArray[np.float32], priors: NDArray[np.float32], outcome: NDArray[np.float32]) -> None:
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = new_scratch(self.weights, self._variant)
        answer(self.weights, scratch, planes, self._stone_planes, self._black_plane, priors, outcome)
        self._idle.append(scratch)


def _read_weights(checkpoint: Checkpoint) -> LineWeights:
    """The checkpoint's arrays, in the order in which the kernel goes through them."""
    options = options_of(checkpoint.spec)
    assert isinstance(options, LineNetOptions)
    filters, units, outputs = options.filters, options.value_units, checkpoint.spec.value_outputs
    arrays = _Arrays(checkpoint.tensors)
    around = arrays.take("trunk.around.weight", filters, 1, 3, 3).reshape(filters, 9).T
    pooled = arrays.take("policy.pooled.weight", filters, 2 * filters).T / filters
    point = arrays.take("policy.point.weight", 1, filters, 1, 1).reshape(filters)
    table = _filled_up(_tables(arrays, filters, has_black=black_plane(checkpoint.spec) != NO_PLANE))
    step = np.float32(max(np.abs(table).max() / _MOST_STEPS, _LEAST_STEP))
    return LineWeights(
        shape_of_codes=shape_of_codes(),
        shapes=lined_up(np.rint(table / step).astype(np.int16)),
        step=step,
        bias=_filled_up(arrays.take("trunk.bias", filters)),
        around=_filled_up(around),
        around_bias=_filled_up(arrays.take("trunk.around.bias", filters)),
        policy=_filled_up_by_halves(pooled),
        policy_bias=_filled_up(point + arrays.take("policy.pooled.bias", filters) / filters),
        point_bias=arrays.take("policy.point.bias", 1),
        hidden=_filled_up_by_halves(arrays.take("outcome.hidden.weight", units, 2 * filters).T),
        hidden_bias=_filled_up(arrays.take("outcome.hidden.bias", units)),
        outcome=_filled_up(arrays.take("outcome.dense.weight", outputs, units)),
        outcome_bias=arrays.take("outcome.dense.bias", outputs),
    )


def _filled_up(array: NDArray[np.floating]) -> NDArray[np.float32]:
    """[..., N] -> [..., N filled up with zeros to whole lanes], contiguous."""
    missing = whole_lanes(array.shape[-1]) - array.shape[-1]
    return lined_up(np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, missing)]).astype(np.float32))


def _filled_up_by_halves(array: NDArray[np.floating]) -> NDArray[np.float32]:
    """[2F, M] of which each half of the rows is filled up, too, as the summary is."""
    return lined_up(np.concatenate([_filled_up(_filled_up(half.T).T) for half in np.split(array, 2)]))


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


def _chances_from_value(value: NDArray[np.float32], players: int) -> NDArray[np.float32]:
    """Softmax of `logits_from_value`, with the tanh before it: [B, 1] -> [B, P + 1]."""
    win = np.maximum((1 + (players - 1) * np.tanh(value)) / players, 0)
    columns = [win, *[(1 - win) / (players - 1)] * (players - 1), np.zeros_like(win)]
    chances = np.maximum(np.concatenate(columns, axis=1), np.float32(_LEAST_PROBABILITY))
    shares: NDArray[np.float32] = chances / chances.sum(axis=1, keepdims=True)
    return shares
