"""An evaluator without knowledge that favours no corner: for a search that has the tactical solver alone."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.evaluators.synchronous import SynchronousEvaluator
from gobang.types import Evaluations, Positions, Variant

_TABLE: Final = 4096  # rows, a power of two


class UniformEvaluator(SynchronousEvaluator):
    """Priors that differ by a thousandth at random, so that no corner is tried first; even chances."""

    def __init__(self, variant: Variant, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._priors: NDArray[np.float32] = 1 + 0.001 * rng.random((_TABLE, variant.points), np.float32)
        self._chances = np.array([1 / variant.players] * variant.players + [0], np.float32)

    def evaluate(self, positions: Positions) -> Evaluations:
        """A position has the same answer each time."""
        rows = (positions.key & np.uint64(_TABLE - 1)).astype(np.int64)
        return Evaluations(priors=self._priors[rows], chances=np.tile(self._chances, (len(rows), 1)))
