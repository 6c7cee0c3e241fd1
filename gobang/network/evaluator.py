"""Evaluators made of a network: from positions through planes and a runtime to evaluations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gobang.features import feature_planes
from gobang.interfaces import Evaluator
from gobang.types import Evaluations, Positions, Variant

if TYPE_CHECKING:
    from gobang.network.checkpoint import Checkpoint

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]  # priors [B, A] and outcome [B, P + 1], both of sum 1


class RefreshableEvaluator(Evaluator, Protocol):
    """An evaluator whose weights can be exchanged while it works."""

    def update(self, checkpoint: Checkpoint) -> None:
        """Answer with these weights from the next `submit` on; what was submitted before keeps the old ones."""


class Runtime(Protocol):
    """Weights made ready to run on one board, by one library.

    pending = runtime.start(planes)              # returns at once where it can
    priors, outcome = runtime.finish(pending)    # waits
    """

    def start(self, planes: NDArray[np.float32]) -> Any:
        """Begin with the planes [B, C, H, W], which must not change before `finish`."""

    def finish(self, pending: Any) -> Answer:
        """The answer to one `start`, in new arrays."""


class SynchronousEvaluator(ABC):
    """A base for evaluators without anything to wait for: `submit` computes at once, `collect` hands over."""

    version: int = 0

    @abstractmethod
    def evaluate(self, positions: Positions) -> Evaluations:
        """Answer a batch, in new arrays."""

    def submit(self, positions: Positions) -> Evaluations:
        """Compute; the ticket is the answer."""
        return self.evaluate(positions)

    def collect(self, ticket: Evaluations) -> Evaluations:
        """Hand the answer over."""
        return ticket


class NetworkEvaluator:
    """Evaluates positions of one variant with a checkpoint's network in the runtime that `prepare` makes."""

    def __init__(self, checkpoint: Checkpoint, variant: Variant, prepare: Callable[[Checkpoint], Runtime]) -> None:
        self.variant = variant
        self._prepare = prepare
        self.update(checkpoint)

    @property
    def version(self) -> int:
        """Number of the weights that the next `submit` asks."""
        return self._current[0]

    def update(self, checkpoint: Checkpoint) -> None:
        """Make the new weights ready, then exchange them in one step; InvalidCheckpoint if not for the variant.

        Another thread may do this while batches are answered.
        """
        checkpoint.check_plays(self.variant)
        runtime = self._prepare(checkpoint)
        self._current = (checkpoint.version, checkpoint.spec.features, runtime)

    def submit(self, positions: Positions) -> Any:
        """Start on a batch of the variant; with openvino or a GPU it is answered in the background."""
        assert positions.variant == self.variant, f"{positions.variant} asked of weights for {self.variant}"
        _, features, runtime = self._current
        return runtime, runtime.start(feature_planes(features, positions))

    def collect(self, ticket: Any) -> Evaluations:
        """Wait for a batch."""
        runtime, pending = ticket
        priors, outcome = runtime.finish(pending)
        return Evaluations(priors=priors, outcome=outcome)
