"""Parts that give numbers which are not finite, when a file in the folder of the record says so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from gobang.evaluators.network import make_evaluator
from gobang.interfaces import Evaluator
from gobang.types import Evaluations, Positions
from learner.training.remote import LearnerFactory
from tests.chaos.record import PLACE

TRAINING: Final = "nan-training"
VERSION: Final = "nan-version"
INFERENCE: Final = "nan-inference"
SPOILED: Final = 6  # versions in a row, since a server that asks twice a second passes some over
_TOO_LARGE: Final = 1e30  # finite, but what is computed with it is not


class DoubtfulLearnerFactory(LearnerFactory):
    """Builds a learner that is struck in the process where this is called."""

    def __call__(self) -> Any:
        """See LearnerFactory."""
        learner = super().__call__()
        advance, export, spoiled = learner.advance, learner.trainer.export_state, 0

        def strike_and_advance() -> bool:
            if is_told(TRAINING):
                spoil(learner.trainer)
            return advance()

        def export_too_large() -> dict[str, Any]:
            nonlocal spoiled
            weights = export()
            spoiled = SPOILED if is_told(VERSION) else max(0, spoiled - 1)
            if spoiled:
                return {
                    name: array * _TOO_LARGE if array.dtype == np.float32 else array for name, array in weights.items()
                }
            return weights

        learner.advance, learner.trainer.export_state = strike_and_advance, export_too_large  # type: ignore[method-assign]
        return learner


def make_doubtful_evaluator(*arguments: Any, **more: Any) -> Evaluator:
    """One whose answers are not finite while the file is there."""
    return Doubtful(make_evaluator(*arguments, **more))


class Doubtful:
    """An evaluator that answers NaN when told to."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    @property
    def version(self) -> int:
        """See Evaluator."""
        return self._evaluator.version

    def submit(self, positions: Positions) -> Any:
        """See Evaluator."""
        return self._evaluator.submit(positions)

    def collect(self, ticket: Any) -> Evaluations:
        """See Evaluator."""
        evaluations = self._evaluator.collect(ticket)
        if is_told(INFERENCE):
            evaluations.priors[:] = np.nan
        return evaluations


def spoil(trainer: Any) -> None:
    """Make a weight NaN, as a broken memory cell does."""
    weights = next(iter(trainer.model.parameters())).data
    weights[(0,) * weights.ndim] = float("nan")


def is_told(what: str) -> bool:
    """Whether the file is there; it is removed, so that it strikes once.

    Parts of a run that has joined a Ray of others do not have the launcher's environment, and are told nothing.
    """
    try:
        (Path(os.environ[PLACE]).parent / what).unlink()
    except (KeyError, FileNotFoundError):
        return False
    return True
