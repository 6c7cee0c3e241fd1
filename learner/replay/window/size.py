"""Size of the window: few positions at first, when play improves fast, then more."""

from __future__ import annotations

from dataclasses import dataclass

from gobang.errors import InvalidConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowConfig:
    """A window that grows from `start` to `end` positions, e.g. `WindowConfig(start=10_000, end=150_000)`.

    Until `start` positions have been stored it holds all of them.  From there it grows with a power
    of their number, `slope` times as fast as that number at first.
    """

    start: int = 20_000
    end: int = 400_000
    slope: float = 0.4
    exponent: float = 0.75

    def __post_init__(self) -> None:
        if not 1 <= self.start <= self.end:
            raise InvalidConfig(f"window {self.start} to {self.end}: from 1 on, and not falling")
        if not 0 <= self.slope <= 1:
            raise InvalidConfig(f"slope {self.slope}: 0 to 1")
        if not 0 < self.exponent <= 1:
            raise InvalidConfig(f"exponent {self.exponent}: above 0, at most 1")


def window_size(config: WindowConfig, stored: int) -> int:
    """Positions in the window when `stored` have been put into the pool in all."""
    times = max(1.0, stored / config.start)
    growth = config.slope * (times**config.exponent - 1) / config.exponent
    return min(config.end, int(config.start * (1 + growth)))
