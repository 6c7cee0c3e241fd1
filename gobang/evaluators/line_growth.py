"""A search that answers its own questions: one kernel descends, looks a network of line shapes up and backs up.

Each simulation so knows all those before it, where a batch of questions is asked without the answers to the others,
and nothing is handed over to Python and back.

Several threads grow one tree: each descends and backs up while it holds a lock, and evaluates without it.
Virtual losses lead the others elsewhere meanwhile.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.network.runtimes.line_kernel import LineWeights, Scratch, answer_cells, new_scratch
from gobang.rules.compiled import inlined, kernel, try_lock, unlock
from gobang.search.trees.descent import Leaves, allocate_leaves
from gobang.search.trees.forest import Forest
from gobang.search.trees.lockstep import LEAF, goes_on, plant_root, simulate, take_in
from gobang.types import Variant

_AT_ONCE: Final = 16  # simulations, half a millisecond, before the caller may look at its clock
_AT_ONCE_TOGETHER: Final = 64  # of each of several threads, which wait for each other in the end
_PLACE: Final = 0  # of a thread's one leaf


class Desk(NamedTuple):
    """What one thread works with."""

    leaves: Leaves
    scratch: Scratch
    priors: NDArray[np.float32]  # [A]
    chances: NDArray[np.float32]  # [P + 1]


class LineGrowth:
    """See `Growth` of gobang.search.trees.search; with several threads the same seed gives another tree each time."""

    def __init__(self, weights: LineWeights, variant: Variant, *, threads: int = 1) -> None:
        assert len(weights.outcome_bias) == variant.players + 1, "the value head says the chances of each player"
        self._weights = weights
        self._desks = [_new_desk(weights, variant) for _ in range(threads)]
        self._lock = np.zeros(1, np.int32)
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def __call__(self, forest: Forest, game: int) -> tuple[int, bool]:
        """Make a few simulations."""
        first, *others = self._desks
        if self._pool is None:
            return self._grow(forest, game, first, _AT_ONCE)
        evaluated = 0
        if forest.trees.size[game] == 0:  # alone: there is nothing to do for others yet
            evaluated, _ = self._grow(forest, game, first, 0)
        waiting = [self._pool.submit(self._grow, forest, game, desk, _AT_ONCE_TOGETHER) for desk in others]
        ends = [self._grow(forest, game, first, _AT_ONCE_TOGETHER), *(each.result() for each in waiting)]
        return evaluated + sum(count for count, _ in ends), all(is_open for _, is_open in ends)

    def _grow(self, forest: Forest, game: int, desk: Desk, most: int) -> tuple[int, bool]:
        return grow(forest, game, self._weights, desk, self._lock, most)


def _new_desk(weights: LineWeights, variant: Variant) -> Desk:
    return Desk(
        leaves=allocate_leaves(variant, 1),
        scratch=new_scratch(weights, variant),
        priors=np.empty(variant.points, np.float32),
        chances=np.empty(variant.players + 1, np.float32),
    )


@kernel
def grow(
    forest: Forest, game: int, weights: LineWeights, desk: Desk, lock: NDArray[np.int32], most: int
) -> tuple[int, bool]:
    """Make at most so many simulations; how many positions were evaluated, and whether more can be made.

    A tree that is empty gets its root first.
    """
    leaves, evaluated = desk.leaves, 0
    _acquire(lock)
    if forest.trees.size[game] == 0 and plant_root(forest, leaves, _PLACE, game) == LEAF:
        _evaluate(weights, desk)
        take_in(forest, leaves, _PLACE, desk.priors, desk.chances)
        evaluated += 1
    for _ in range(most):
        if not goes_on(forest, game):
            break
        is_leaf = simulate(forest, leaves, _PLACE, game) == LEAF  # or settled, or in another thread's way
        unlock(lock)
        if is_leaf:
            _evaluate(weights, desk)
        _acquire(lock)
        if is_leaf:
            take_in(forest, leaves, _PLACE, desk.priors, desk.chances)
            evaluated += 1
    is_open = goes_on(forest, game)
    unlock(lock)
    return evaluated, is_open


@inlined
def _acquire(lock: NDArray[np.int32]) -> None:
    """Wait for the lock, which is held for microseconds."""
    while try_lock(lock):
        pass


@inlined
def _evaluate(weights: LineWeights, desk: Desk) -> None:
    leaves = desk.leaves
    answer_cells(weights, desk.scratch, leaves.cells[_PLACE], int(leaves.to_move[_PLACE]), desk.priors, desk.chances)
