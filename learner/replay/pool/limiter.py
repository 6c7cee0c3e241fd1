"""The limiter: keeps the reuse of positions at a target, by making actors or the learner wait.

    limiter.may_insert(inserted, sampled)              # False: actors wait for the learner
    limiter.may_sample(inserted, sampled, 256)         # False: the learner waits for actors

The counters are the pool's; a limiter only judges them.  It starts to count at `minimum` positions:
from there samples keep up with insertions times the target, give or take the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass

from gobang.errors import InvalidConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class LimiterConfig:
    """Target of the reuse: by default each position is used 4 times, each of the first 50,000 8 times."""

    samples_per_position: float = 4.0
    early_samples_per_position: float = 8.0
    early_positions: int = 50_000  # how many count as early
    minimum: int = 2_000  # positions before the first sample
    tolerance: int = 2_000  # positions that either side may be ahead

    def __post_init__(self) -> None:
        for name in ("samples_per_position", "early_samples_per_position"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InvalidConfig(f"{name} {getattr(self, name)}: above 0 and finite")
        for name, least in (("early_positions", 0), ("minimum", 1), ("tolerance", 1)):
            if getattr(self, name) < least:
                raise InvalidConfig(f"{name} {getattr(self, name)}: at least {least}")


class Limiter:
    """The judgement of one config; it has no state."""

    def __init__(self, config: LimiterConfig) -> None:
        self.config = config

    def may_insert(self, inserted: int, sampled: int) -> bool:
        """Whether actors may go on, or are ahead of the learner by more than the tolerance."""
        return inserted < self.config.minimum or self._ahead(inserted, sampled) <= self._slack(inserted)

    def may_sample(self, inserted: int, sampled: int, count: int) -> bool:
        """Whether a learner may draw `count` samples, or would be ahead of the actors by more than the tolerance."""
        assert count <= 2 * self._slack(inserted), f"{count} samples: both sides could wait, tolerance {self.config}"
        return inserted >= self.config.minimum and self._ahead(inserted, sampled + count) >= -self._slack(inserted)

    def check_batch(self, count: int) -> None:
        """InvalidConfig if batches of `count` samples could make both sides wait for each other."""
        least = min(self._slack(0), self._slack(self.config.early_positions))
        if count > 2 * least:
            raise InvalidConfig(f"tolerance {self.config.tolerance}: too little for batches of {count} samples")

    def due(self, inserted: int) -> float:
        """The number of samples that should have been drawn at `inserted` positions."""
        return max(0.0, self._budget(inserted) - self._budget(self.config.minimum))

    def _budget(self, inserted: int) -> float:
        config = self.config
        early = min(inserted, config.early_positions)
        return early * config.early_samples_per_position + (inserted - early) * config.samples_per_position

    def _ahead(self, inserted: int, sampled: int) -> float:
        """Samples by which the actors are ahead; negative if the learner is."""
        return self.due(inserted) - sampled

    def _slack(self, inserted: int) -> float:
        """The tolerance in samples."""
        early = inserted < self.config.early_positions
        ratio = self.config.early_samples_per_position if early else self.config.samples_per_position
        return self.config.tolerance * ratio
