"""Stand-ins for the learner and the pool, for measuring and testing self-play alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gobang.types import SelfPlayGame
from gobang.versions import NO_VERSION


@dataclass(frozen=True, slots=True)
class FileWeights:
    """A WeightsSource of one checkpoint, under every name."""

    path: Path

    def weights(self, which: str, known: int) -> bytes | None:
        """The file's content, once."""
        return self.path.read_bytes() if known == NO_VERSION else None


@dataclass(frozen=True, slots=True)
class GatedSink:
    """A GameSink that forgets its games, and wants more as long as a file is there."""

    gate: Path

    def add(self, game: SelfPlayGame) -> bool:
        """Forget a game."""
        return True

    def has_room(self) -> bool:
        """Whether the gate is open."""
        return self.gate.exists()
