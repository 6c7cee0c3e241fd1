"""The budget of a run: when it ends, and how long that will take.

Each limit counts the whole run, over all resumptions.  Without any the run goes on until it is told to stop.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gobang.errors import InvalidConfig

_NAMES: Final = ("minutes", "games", "steps", "evaluations")


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """The limits of a run, e.g. `Budget(minutes=30)`; the first limit that is met ends it."""

    minutes: float | None = None
    games: int | None = None
    steps: int | None = None
    evaluations: int | None = None  # of self-play, by which runs on different machines compare

    def __post_init__(self) -> None:
        for name in _NAMES:
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise InvalidConfig(f"{name} {value}: above 0 and finite")

    def __str__(self) -> str:
        """E.g. "10 minutes"; the limits that there are."""
        limits = {name: getattr(self, name) for name in _NAMES}
        words = [f"{limit:,g} {name[: -1 if limit == 1 else None]}" for name, limit in limits.items() if limit]
        return ", ".join(words) or "no limit"

    def part(self, share: float, minutes: float) -> Budget:
        """A share of each limit, and at most so many minutes."""
        return Budget(
            minutes=minutes if self.minutes is None else min(minutes, share * self.minutes),
            games=_share(self.games, share),
            steps=_share(self.steps, share),
            evaluations=_share(self.evaluations, share),
        )

    def rest(self, values: Mapping[str, float]) -> Budget:
        """What is left when another run has counted these values, and has not spent it."""
        return Budget(
            minutes=None if self.minutes is None else self.minutes - values.get("seconds", 0) / 60,
            games=_rest(self.games, values.get("games", 0)),
            steps=_rest(self.steps, values.get("step", 0)),
            evaluations=_rest(self.evaluations, values.get("evaluations", 0)),
        )

    def is_spent(self, values: Mapping[str, float]) -> bool:
        """Whether the metrics have reached a limit."""
        return any(values.get(name, 0) >= limit for name, limit, _ in self._limits())

    def seconds_left(self, values: Mapping[str, float]) -> float:
        """Seconds until the first limit is met at the present rates; NaN if no limit gives a time."""
        left = []
        for name, limit, rate in self._limits():
            speed = values.get(rate, 0) if rate else 1.0
            if speed > 0:
                left.append(max(0.0, limit - values.get(name, 0)) / speed)
        return min(left, default=math.nan)

    def _limits(self) -> list[tuple[str, float, str]]:
        """Name of the metric, its limit, and the metric that is its rate; seconds pass by themselves."""
        seconds = None if self.minutes is None else 60 * self.minutes
        limits = (
            ("seconds", seconds, ""),
            ("games", self.games, "games_per_s"),
            ("step", self.steps, "steps_per_s"),
            ("evaluations", self.evaluations, "evaluations_per_s"),
        )
        return [(name, limit, rate) for name, limit, rate in limits if limit is not None]


def _share(limit: int | None, share: float) -> int | None:
    return None if limit is None else max(1, round(share * limit))


def _rest(limit: int | None, counted: float) -> int | None:
    return None if limit is None else limit - int(counted)
