"""An evaluator that knows nothing, at no cost: for benchmarks and tests of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gobang.evaluators.synchronous import SynchronousEvaluator
from gobang.types import Evaluations, Positions, Variant

if TYPE_CHECKING:
    from gobang.network.checkpoint import Checkpoint


class NullEvaluator(SynchronousEvaluator):
    """Answers every position with even priors over all points and even chances for all players, without draws."""

    def __init__(self, variant: Variant, version: int = 0) -> None:
        self.version = version
        self._variant = variant
        self._templates: dict[int, Evaluations] = {}

    def update(self, checkpoint: Checkpoint) -> None:
        """Take over the version of the weights, and nothing else."""
        self.version = checkpoint.version

    def evaluate(self, positions: Positions) -> Evaluations:
        """The same answer for all; occupied points keep their share, as the search masks them."""
        size = len(positions.to_move)
        template = self._templates.get(size) or self._prepare(size)
        return Evaluations(priors=template.priors.copy(), chances=template.chances.copy())

    def _prepare(self, size: int) -> Evaluations:
        points, players = self._variant.points, self._variant.players
        template = Evaluations(
            priors=np.full((size, points), 1 / points, np.float32),
            chances=np.full((size, players + 1), 1 / players, np.float32),
        )
        template.chances[:, players] = 0.0
        self._templates[size] = template
        return template
