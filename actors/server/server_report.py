"""What an inference server says about its work."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from actors.server.batching import Question


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerReport:
    """Counts since the server's start; for a rate, `later.since(earlier)`."""

    seconds: float
    cpu_seconds: float  # of the whole process
    positions: int
    questions: int
    batches: int
    waited: float  # seconds that questions waited for their batch, all together
    dropped: int  # questions of clients that left
    swaps: int  # times that weights were exchanged
    clients: int  # now
    models: Mapping[str, int]  # version by name, now

    @property
    def per_s(self) -> float:
        """Positions per second."""
        return self.positions / max(self.seconds, 1e-9)

    @property
    def mean_batch(self) -> float:
        """Positions per batch."""
        return self.positions / max(self.batches, 1)

    @property
    def mean_wait_ms(self) -> float:
        """Milliseconds that a question waited for its batch."""
        return 1000 * self.waited / max(self.questions, 1)

    def since(self, earlier: ServerReport) -> ServerReport:
        """The counts between two reports of one server."""
        return ServerReport(
            seconds=self.seconds - earlier.seconds,
            cpu_seconds=self.cpu_seconds - earlier.cpu_seconds,
            positions=self.positions - earlier.positions,
            questions=self.questions - earlier.questions,
            batches=self.batches - earlier.batches,
            waited=self.waited - earlier.waited,
            dropped=self.dropped - earlier.dropped,
            swaps=self.swaps - earlier.swaps,
            clients=self.clients,
            models=self.models,
        )


@dataclass(slots=True)
class Tally:
    """The counters behind the reports."""

    begun: float = field(default_factory=time.monotonic)
    positions: int = 0
    questions: int = 0
    batches: int = 0
    waited: float = 0.0
    dropped: int = 0

    def count(self, batch: Sequence[Question[Any]], started: float) -> None:
        """Add a batch that was begun at this time."""
        self.batches += 1
        self.questions += len(batch)
        self.positions += sum(len(question.positions) for question in batch)
        self.waited += sum(started - question.arrived for question in batch)

    def report(self, *, clients: int, models: Mapping[str, int], swaps: int) -> ServerReport:
        """The counts so far."""
        return ServerReport(
            seconds=time.monotonic() - self.begun,
            cpu_seconds=time.process_time(),
            positions=self.positions,
            questions=self.questions,
            batches=self.batches,
            waited=self.waited,
            dropped=self.dropped,
            swaps=swaps,
            clients=clients,
            models=models,
        )
