"""A base for evaluators that answer at once."""

from __future__ import annotations

from abc import ABC, abstractmethod

from gobang.types import Evaluations, Positions


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
