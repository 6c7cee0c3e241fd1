"""The critic: a network of one hidden layer that says how a game will end for black, 1 for a win, 0 for a loss.

The hidden units are x / (1 + |x|), which costs no call of a library, and the last one is logistic.  A step of
learning goes down the gradient of the cross-entropy between the value and a target.
"""

from __future__ import annotations

from math import exp
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.critic.board import PatternBoard, try_stone
from gobang.critic.inputs import FULL, SMALL, UNIT, Coding, coding, node_value, slot_by_turn, write_inputs
from gobang.critic.patterns import LinePatterns
from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry
from gobang.rules.rule import may_play
from gobang.types import EMPTY

HIDDEN: Final = {SMALL: 30, FULL: 100}
NOT_LEGAL: Final = -1.0  # in place of a value


class Critic(NamedTuple):
    """The weights of a network with I inputs and H hidden units, and scratch for one position."""

    coding: Coding
    inward: NDArray[np.float32]  # [I, H]
    bias: NDArray[np.float32]  # [H]
    outward: NDArray[np.float32]  # [H]
    last_bias: NDArray[np.float32]  # [1]
    inputs: NDArray[np.float32]  # [I] scratch, as are the next two
    base: NDArray[np.float32]  # [H]
    hidden: NDArray[np.float32]  # [H] sums of the hidden units


def new_critic(features: str, seed: int) -> Critic:
    """A network that has learned nothing; its values are near one half."""
    generator = np.random.default_rng(seed)
    size, hidden = coding(features).size, HIDDEN[features]
    return critic_of(
        features,
        inward=generator.uniform(-0.1, 0.1, (size, hidden)).astype(np.float32),
        bias=np.zeros(hidden, np.float32),
        outward=generator.uniform(-0.1, 0.1, hidden).astype(np.float32),
        last_bias=np.zeros(1, np.float32),
    )


def critic_of(
    features: str,
    *,
    inward: NDArray[np.float32],
    bias: NDArray[np.float32],
    outward: NDArray[np.float32],
    last_bias: NDArray[np.float32],
) -> Critic:
    """A network with given weights, which it keeps."""
    return Critic(
        coding=coding(features),
        inward=inward,
        bias=bias,
        outward=outward,
        last_bias=last_bias,
        inputs=np.zeros(len(inward), np.float32),
        base=np.zeros_like(bias),
        hidden=np.zeros_like(bias),
    )


@kernel
def value_after_moves(
    geometry: Geometry,
    tables: LinePatterns,
    critic: Critic,
    board: PatternBoard,
    mover: int,
    values: NDArray[np.float32],
) -> None:
    """Fill `values` [A] with what each legal move leads to, for the mover; NOT_LEGAL elsewhere."""
    see(critic, board.counts, 1 - mover, critic.base)
    for point in range(len(board.cells)):
        values[point] = NOT_LEGAL
        if board.cells[point] != EMPTY or not may_play(geometry, board.cells, point, mover):
            continue
        try_stone(geometry, tables, board, point, mover)
        _change(critic, board, 1 - mover)
        value = value_of(critic)
        values[point] = value if mover == 0 else 1 - value


@kernel
def see(critic: Critic, counts: NDArray[np.int16], to_move: int, sums: NDArray[np.float32]) -> None:
    """Fill `sums` [H] with those of the hidden units for a position, and `inputs` with its inputs."""
    write_inputs(critic.coding, counts, to_move, critic.inputs)
    for unit in range(len(sums)):
        sums[unit] = critic.bias[unit]
    for index in range(len(critic.inputs)):
        if critic.inputs[index] != 0:
            _add(critic, index, critic.inputs[index], sums)


@inlined
def _add(critic: Critic, index: int, amount: np.float32, sums: NDArray[np.float32]) -> None:
    for unit in range(len(sums)):
        sums[unit] += amount * critic.inward[index, unit]


@kernel
def _change(critic: Critic, board: PatternBoard, to_move: int) -> None:
    """Fill `hidden` with the sums for the counts with their changes, from `base`, which has those without."""
    coding = critic.coding
    for unit in range(len(critic.hidden)):
        critic.hidden[unit] = critic.base[unit]
    for player in range(2):
        for pattern in range(board.counts.shape[1]):
            change = int(board.changes[player, pattern])
            if change == 0:
                continue
            if coding.by_turn:
                slot = slot_by_turn(coding, player, pattern, to_move)
                if slot >= 0:
                    _add(critic, slot, np.float32(UNIT * change), critic.hidden)
                continue
            count = int(board.counts[player, pattern])
            for node in range(coding.nodes[pattern]):
                amount = node_value(node, count + change) - node_value(node, count)
                if amount != 0:
                    _add(critic, coding.slots[player, pattern] + node, np.float32(amount), critic.hidden)


@kernel
def value_of(critic: Critic) -> float:
    """The value for black of the position whose sums are in `hidden`."""
    total = critic.last_bias[0]
    for unit in range(len(critic.hidden)):
        total += critic.outward[unit] * critic.hidden[unit] / (np.float32(1) + abs(critic.hidden[unit]))
    return 1 / (1 + exp(-float(total)))


@kernel
def learn(critic: Critic, counts: NDArray[np.int16], to_move: int, target: float, rate: float) -> None:
    """Move the value of a position towards a target."""
    see(critic, counts, to_move, critic.hidden)
    step = np.float32(rate * (target - value_of(critic)))
    critic.last_bias[0] += step
    for unit in range(len(critic.hidden)):
        slope = np.float32(1) / (np.float32(1) + abs(critic.hidden[unit]))
        inner = step * critic.outward[unit] * slope * slope
        critic.outward[unit] += step * critic.hidden[unit] * slope
        critic.bias[unit] += inner
        critic.base[unit] = inner
    for index in range(len(critic.inputs)):
        if critic.inputs[index] != 0:
            for unit in range(len(critic.hidden)):
                critic.inward[index, unit] += critic.inputs[index] * critic.base[unit]
