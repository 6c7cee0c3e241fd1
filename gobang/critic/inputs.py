"""The numbers by which a network sees a position: how often each player has each pattern, and whose turn it is.

`small` has 30.  For each player and each of the seven named kinds there are two, one used while the player is to
move and one while he is not; each is a fifth of how many patterns of the kind there are.

`full` has 274.  For each player there is 1 for a FIVE, and 5 for each of the 27 other patterns: the n-th of the
first four is 1 where there are n or more, and the fifth is half of what there are above four.

The last two say who is to move, black or white: one of them is 1.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.critic.patterns import NAMED, PATTERNS, kind_of_patterns
from gobang.errors import InvalidConfig
from gobang.rules.compiled import inlined, kernel

SMALL: Final = "small"
FULL: Final = "full"
_NODES: Final = 5  # of a count in `full`
UNIT: Final = 0.2  # what a pattern adds in `small`
_UNUSED: Final = -1


class Coding(NamedTuple):
    """How counts become inputs."""

    size: int  # number of inputs
    by_turn: (
        bool  # one input for a count while its player is to move, another while he is not; else several for a count
    )
    slots: NDArray[np.int64]  # [2, PATTERNS] the first input of a player's pattern, or _UNUSED
    nodes: NDArray[np.int64]  # [PATTERNS] how many inputs a count has in `full`


def coding(name: str) -> Coding:
    """The coding that a name stands for."""
    if name not in (SMALL, FULL):
        raise InvalidConfig(f"features {name!r}: {SMALL} or {FULL}")
    return _small() if name == SMALL else _full()


def _small() -> Coding:
    kinds = kind_of_patterns().tolist()
    one = np.array([2 * NAMED.index(kind) if kind in NAMED else _UNUSED for kind in kinds])
    other = np.where(one == _UNUSED, _UNUSED, one + 2 * len(NAMED))
    return Coding(
        size=4 * len(NAMED) + 2, by_turn=True, slots=np.stack([one, other]), nodes=np.ones(PATTERNS, np.int64)
    )


def _full() -> Coding:
    nodes = np.array([1] + [_NODES] * (PATTERNS - 1))
    first = np.cumsum(nodes) - nodes
    return Coding(
        size=int(2 * nodes.sum() + 2), by_turn=False, slots=np.stack([first, first + nodes.sum()]), nodes=nodes
    )


@inlined
def node_value(node: int, count: int) -> float:
    """The input that stands at a place among those of a count."""
    if node == _NODES - 1:
        return max(0.0, (count - _NODES + 1) / 2)
    return 1.0 if count > node else 0.0


@inlined
def slot_by_turn(coding: Coding, player: int, pattern: int, to_move: int) -> int:
    """The one input of a count in `small`, or one below 0."""
    slot = int(coding.slots[player, pattern])
    return slot if slot < 0 or player == to_move else slot + 1


@kernel
def write_inputs(coding: Coding, counts: NDArray[np.int16], to_move: int, out: NDArray[np.float32]) -> None:
    """Fill `out` with the inputs of a position."""
    out[:] = np.float32(0)
    out[coding.size - 2 + to_move] = np.float32(1)
    for player in range(2):
        for pattern in range(counts.shape[1]):
            count = int(counts[player, pattern])
            if count == 0:
                continue
            if coding.by_turn:
                slot = slot_by_turn(coding, player, pattern, to_move)
                if slot >= 0:
                    out[slot] += np.float32(UNIT * count)
                continue
            for node in range(coding.nodes[pattern]):
                out[coding.slots[player, pattern] + node] = np.float32(node_value(node, count))
