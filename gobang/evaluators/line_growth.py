"""A search that answers its own questions: one kernel descends, looks a network of line shapes up and backs up.

Each simulation so knows all those before it, where a batch of questions is asked without the answers to the others,
and nothing is handed over to Python and back.  For one game on one thread.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.network.runtimes.line_kernel import LineWeights, Scratch, answer_cells, new_scratch
from gobang.rules.compiled import inlined, kernel
from gobang.search.trees.descent import Leaves
from gobang.search.trees.forest import Forest
from gobang.search.trees.lockstep import LEAF, goes_on, plant_root, simulate, take_in
from gobang.types import Variant

_AT_ONCE: Final = 16  # simulations, less than a millisecond, before the caller may look at its clock
_PLACE: Final = 0  # of the one leaf


class LineGrowth:
    """See `Growth` of gobang.search.trees.search."""

    def __init__(self, weights: LineWeights, variant: Variant) -> None:
        assert len(weights.outcome_bias) == variant.players + 1, "the value head says the chances of each player"
        self._weights = weights
        self._scratch = new_scratch(weights, variant)
        self._priors = np.empty(variant.points, np.float32)
        self._chances = np.empty(variant.players + 1, np.float32)

    def __call__(self, forest: Forest, leaves: Leaves, game: int) -> tuple[int, bool]:
        """Make a few simulations."""
        return grow(forest, leaves, game, self._weights, self._scratch, self._priors, self._chances, _AT_ONCE)


@kernel
def grow(
    forest: Forest,
    leaves: Leaves,
    game: int,
    weights: LineWeights,
    scratch: Scratch,
    priors: NDArray[np.float32],
    chances: NDArray[np.float32],
    most: int,
) -> tuple[int, bool]:
    """Make at most so many simulations; how many positions were evaluated, and whether more can be made.

    `priors` [A] and `chances` [P + 1] are scratch.
    """
    evaluated = 0
    if forest.trees.size[game] == 0 and plant_root(forest, leaves, _PLACE, game) == LEAF:
        _answer(forest, leaves, weights, scratch, priors, chances)
        evaluated += 1
    for _ in range(most):
        if not goes_on(forest.trees, forest.roots, game):
            return evaluated, False
        if simulate(forest, leaves, _PLACE, game) == LEAF:
            _answer(forest, leaves, weights, scratch, priors, chances)
            evaluated += 1
    return evaluated, goes_on(forest.trees, forest.roots, game)


@inlined
def _answer(
    forest: Forest,
    leaves: Leaves,
    weights: LineWeights,
    scratch: Scratch,
    priors: NDArray[np.float32],
    chances: NDArray[np.float32],
) -> None:
    answer_cells(weights, scratch, leaves.cells[_PLACE], int(leaves.to_move[_PLACE]), priors, chances)
    take_in(forest, leaves, _PLACE, priors, chances)
