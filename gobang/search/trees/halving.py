"""The schedule of sequential halving at the root of a Gumbel search."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def halving_schedule(considered: int, simulations: int) -> NDArray[np.int32]:
    """[simulations] how many visits the move of each simulation must have had.

    `considered` moves are visited equally often in a first phase, the better half of them in a
    second, and so on, until two are left and share what remains.  E.g. 4 moves, 8 simulations:
    0 0 0 0 1 1 2 2.
    """
    if considered <= 1:
        return np.arange(simulations, dtype=np.int32)
    phases = math.ceil(math.log2(considered))
    schedule: list[int] = []
    visits = 0
    moves = considered
    while len(schedule) < simulations:
        for _ in range(max(1, simulations // (phases * moves))):
            schedule += [visits] * moves
            visits += 1
        moves = max(2, moves // 2)
    return np.array(schedule[:simulations], np.int32)


def halving_table(considered: int, simulations: int) -> NDArray[np.int32]:
    """[moves + 1, simulations] the schedule by the number of legal moves; more use the last row."""
    most = min(considered, simulations)
    return np.stack([halving_schedule(moves, simulations) for moves in range(most + 1)])
