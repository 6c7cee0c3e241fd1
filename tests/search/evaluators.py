"""Evaluators for tests: answers that follow from the position alone."""

from __future__ import annotations

import numpy as np

from gobang.errors import GobangError
from gobang.interfaces import Ticket
from gobang.types import Evaluations, Positions, Variant


class HashedEvaluator:
    """Random but fixed priors and chances: rows of a table, chosen by the position's key."""

    def __init__(self, variant: Variant, seed: int = 0, rows: int = 4093) -> None:
        rng = np.random.default_rng(seed)
        self.version = 0
        self.asked: list[Positions] = []
        self._priors = rng.dirichlet(np.full(variant.points, 0.5), rows).astype(np.float32)
        self._chances = rng.dirichlet(np.ones(variant.players + 1), rows).astype(np.float32)

    def submit(self, positions: Positions) -> Ticket:
        # A copy, because the caller may reuse its arrays once it has collected.
        self.asked.append(positions)
        return (positions.key % np.uint64(len(self._priors))).astype(np.int64)

    def collect(self, ticket: Ticket) -> Evaluations:
        return Evaluations(priors=self._priors[ticket], chances=self._chances[ticket])


class EvenEvaluator:
    """Uniform priors, even chances."""

    version = 0

    def __init__(self, variant: Variant) -> None:
        self._variant = variant

    def submit(self, positions: Positions) -> Ticket:
        return len(positions)

    def collect(self, ticket: Ticket) -> Evaluations:
        variant = self._variant
        chances = np.zeros((ticket, variant.players + 1), np.float32)
        chances[:, : variant.players] = 1 / variant.players
        return Evaluations(priors=np.full((ticket, variant.points), 1 / variant.points, np.float32), chances=chances)


class GamblingEvaluator(EvenEvaluator):
    """A sure draw unless `owner` has a stone on point 0; then that player wins with a chance of 0.45."""

    def __init__(self, variant: Variant, owner: int) -> None:
        super().__init__(variant)
        self._owner = owner

    def submit(self, positions: Positions) -> Ticket:
        return positions

    def collect(self, ticket: Ticket) -> Evaluations:
        answers = super().collect(len(ticket))
        gambles = ticket.cells[:, 0] == self._owner + 1
        owner_moves = ticket.to_move == self._owner
        answers.chances[:] = (0, 0, 1)
        answers.chances[gambles & owner_moves] = (0.45, 0.55, 0)
        answers.chances[gambles & ~owner_moves] = (0.55, 0.45, 0)
        return answers


class FailingEvaluator(HashedEvaluator):
    """Fails once, early in a search."""

    failed = False

    def collect(self, ticket: Ticket) -> Evaluations:
        if len(self.asked) > 3 and not self.failed:
            self.failed = True
            raise GobangError("no answer")
        return super().collect(ticket)


class LateEvaluator:
    """Puts off the work until it is collected, and checks that each ticket is collected once."""

    def __init__(self, inner: HashedEvaluator) -> None:
        self.version = 0
        self.most_in_flight = 0
        self._inner = inner
        self._tickets: dict[int, Positions] = {}
        self._count = 0

    def submit(self, positions: Positions) -> Ticket:
        self._count += 1
        self._tickets[self._count] = positions
        self.most_in_flight = max(self.most_in_flight, len(self._tickets))
        return self._count

    def collect(self, ticket: Ticket) -> Evaluations:
        return self._inner.collect(self._inner.submit(self._tickets.pop(ticket)))
