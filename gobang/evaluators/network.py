"""Evaluators made of a network: from positions through planes and a runtime to evaluations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gobang.errors import InvalidConfig
from gobang.evaluators.null import NullEvaluator
from gobang.features import feature_planes
from gobang.interfaces import Evaluator
from gobang.network.runtimes.backend import AUTO, KERNEL, choose_backend, has_kernel, make_runtime
from gobang.network.runtimes.runtime import Runtime
from gobang.types import Evaluations, Positions, Variant

if TYPE_CHECKING:
    from gobang.network.checkpoint import Checkpoint
    from gobang.search.trees.search import Growth


class RefreshableEvaluator(Evaluator, Protocol):
    """An evaluator whose weights can be exchanged while it works."""

    def update(self, checkpoint: Checkpoint) -> None:
        """Answer with these weights from the next `submit` on; what was submitted before keeps the old ones."""


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

    @property
    def runtime(self) -> Runtime:
        """What runs the weights now."""
        return self._current[2]

    def submit(self, positions: Positions) -> Any:
        """Start on a batch of the variant; with openvino or a GPU it is answered in the background."""
        assert positions.variant == self.variant, f"{positions.variant} asked of weights for {self.variant}"
        _, features, runtime = self._current
        return runtime, runtime.start(feature_planes(features, positions))

    def collect(self, ticket: Any) -> Evaluations:
        """Wait for a batch."""
        runtime, pending = ticket
        priors, chances = runtime.finish(pending)
        return Evaluations(priors=priors, chances=chances)


def make_evaluator(
    checkpoint: Checkpoint | str | Path | bytes | None,
    variant: Variant,
    *,
    backend: str = AUTO,
    precision: str = AUTO,
    threads: int = 1,
    batches: int = 1,
) -> RefreshableEvaluator:
    """An evaluator of the variant with a checkpoint, a file of one, or its bytes; `null` needs none.

    A caller that keeps several `batches` under way gets more out of openvino's threads by saying so.
    """
    choice = choose_backend(backend, precision, threads)
    if choice.name == "null":
        return NullEvaluator(variant)
    from gobang.network.checkpoint import Checkpoint, load_checkpoint

    if checkpoint is None:
        raise InvalidConfig(f"backend {choice.name!r} needs a checkpoint")
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = load_checkpoint(checkpoint, variant=variant)
    if has_kernel(checkpoint.spec.architecture, backend):  # also where there is a GPU
        choice = choose_backend(KERNEL, precision, threads)
    choice = replace(choice, batches=batches)
    return NetworkEvaluator(checkpoint, variant, lambda weights: make_runtime(weights, variant, choice))


def growth_of(evaluator: Evaluator, variant: Variant, *, threads: int = 1) -> Growth | None:
    """What grows trees in the evaluator's place, with the weights that it has now; None if nothing can."""
    if not isinstance(evaluator, NetworkEvaluator):
        return None
    from gobang.evaluators.line_growth import LineGrowth
    from gobang.network.runtimes.line_runtime import LineRuntime

    runtime = evaluator.runtime
    if not isinstance(runtime, LineRuntime) or not runtime.says_chances:
        return None
    return LineGrowth(runtime.weights, variant, threads=threads)
