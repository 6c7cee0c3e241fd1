"""The counters of an inference server."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from actors.server.batching import Question
from gobang.reports import ServerReport


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

    def report(self, *, clients: int, models: Mapping[str, int]) -> ServerReport:
        """The counts so far."""
        return ServerReport(
            seconds=time.monotonic() - self.begun,
            cpu_seconds=time.process_time(),
            positions=self.positions,
            questions=self.questions,
            batches=self.batches,
            waited=self.waited,
            dropped=self.dropped,
            clients=clients,
            models=models,
        )
