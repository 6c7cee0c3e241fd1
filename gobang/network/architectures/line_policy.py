"""The policy of line_net forwards and backwards by kernels, for training on a CPU.

A point's logit is the sum of its features, and of the units of a hidden layer that reads the first of them, weighed by
what the board asks for.

Shape letters: B positions, A points of the board, F filters, I of them that the units read, U units; F and U are
multiples of the lanes' number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.rules.lanes import LANES, Lanes, add, greater, if_greater, lanes_at, multiply, put_lanes, spread, sum_of


class PolicyInputs(NamedTuple):
    """What logits follow from, or the gradients of it."""

    features: NDArray[np.float32]  # [B, A, F]
    weights: NDArray[np.float32]  # [B, F] of the features
    asked: NDArray[np.float32]  # [B, U] weights of the units
    mixed: NDArray[np.float32]  # [I, U] from features to units
    mixed_bias: NDArray[np.float32]  # [U]


@kernel
def weigh(inputs: PolicyInputs, logits: NDArray[np.float32]) -> None:
    """Write the logits [B, A]."""
    filters, units = inputs.weights.shape[1], inputs.asked.shape[1]
    for row in range(len(logits)):
        for point in range(logits.shape[1]):
            total = spread(np.float32(0))
            for first in range(0, filters, LANES):
                place = (row * logits.shape[1] + point) * filters + first
                weights = lanes_at(inputs.weights, row * filters + first)
                total = add(total, multiply(lanes_at(inputs.features, place), weights))
            for first in range(0, units, LANES):
                unit = _units(inputs, row, point, first)
                total = add(total, multiply(unit, lanes_at(inputs.asked, row * units + first)))
            logits[row, point] = sum_of(total)


@kernel
def weigh_back(
    inputs: PolicyInputs,
    of_logits: NDArray[np.float32],
    from_units: NDArray[np.float32],
    slopes: NDArray[np.float32],
    gradients: PolicyInputs,
) -> None:
    """Write the gradients of the features, and add to all others.

    `from_units` [U, F] is `mixed` turned about, filled up with zeros; `slopes` [U] is scratch.
    """
    filters, units, points = inputs.weights.shape[1], inputs.asked.shape[1], inputs.features.shape[1]
    for row in range(len(of_logits)):
        for point in range(points):
            slope = spread(of_logits[row, point])
            for first in range(0, units, LANES):
                _learn_units(inputs, gradients, row, point, slope, first, slopes)
            for first in range(0, filters, LANES):
                place = (row * points + point) * filters + first
                weights, own = lanes_at(inputs.weights, row * filters + first), lanes_at(inputs.features, place)
                of_weights = lanes_at(gradients.weights, row * filters + first)
                put_lanes(gradients.weights, row * filters + first, add(of_weights, multiply(slope, own)))
                of_feature = multiply(slope, weights)
                if first < len(inputs.mixed):
                    for unit in range(units):
                        part = multiply(spread(slopes[unit]), lanes_at(from_units, unit * filters + first))
                        of_feature = add(of_feature, part)
                put_lanes(gradients.features, place, of_feature)


@inlined
def _units(inputs: PolicyInputs, row: int, point: int, first: int) -> Lanes:
    """Some units of a point."""
    units = inputs.mixed.shape[1]
    total = lanes_at(inputs.mixed_bias, first)
    for index in range(len(inputs.mixed)):
        weights = lanes_at(inputs.mixed, index * units + first)
        total = add(total, multiply(spread(inputs.features[row, point, index]), weights))
    unit: Lanes = greater(total, spread(np.float32(0)))
    return unit


@inlined
def _learn_units(
    inputs: PolicyInputs,
    gradients: PolicyInputs,
    row: int,
    point: int,
    slope: Lanes,
    first: int,
    slopes: NDArray[np.float32],
) -> None:
    """Add to the gradients of some units' weights, and write those of the units before they were cut off at 0."""
    units, zero = inputs.asked.shape[1], spread(np.float32(0))
    unit, place = _units(inputs, row, point, first), row * units + first
    put_lanes(gradients.asked, place, add(lanes_at(gradients.asked, place), multiply(slope, unit)))
    of_unit = if_greater(unit, zero, multiply(slope, lanes_at(inputs.asked, place)), zero)
    put_lanes(slopes, first, of_unit)
    put_lanes(gradients.mixed_bias, first, add(lanes_at(gradients.mixed_bias, first), of_unit))
    for index in range(len(inputs.mixed)):
        place = index * units + first
        part = multiply(spread(inputs.features[row, point, index]), of_unit)
        put_lanes(gradients.mixed, place, add(lanes_at(gradients.mixed, place), part))
