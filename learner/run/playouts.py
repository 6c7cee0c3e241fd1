"""The schedule of simulations: how many a move of self-play gets as the run goes on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, get_args

from gobang.errors import InvalidConfig

_Unit = Literal["positions", "minutes"]
_MOST_SIMULATIONS: Final = 10_000_000
_MOST_STANDSTILLS: Final = 300  # the greatest growth to this power is still a finite number


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayoutSchedule:
    """Simulations that grow by schedule, and further each time the judge's ladder stands still.

    `PlayoutSchedule(steps=((0, 16), (200_000, 32)))` begins with 16 simulations a move and goes on
    with 32 when 200,000 positions have been played.  Nothing here remembers: the same progress
    gives the same answer after a restart.
    """

    steps: tuple[tuple[int, int], ...] = ((0, 64),)  # from which progress on, simulations; both rise
    unit: _Unit = "positions"  # of the progress: positions of self-play, or minutes of training
    growth: float = 1.5  # factor for each standstill; 1 leaves it to the schedule
    most: int = 1600  # simulations that standstills lead to at most

    def __post_init__(self) -> None:
        if not self.steps or self.steps[0][0] != 0:
            raise InvalidConfig(f"playouts steps {self.steps}: the first step begins at 0")
        for (earlier, fewer), (later, more) in pairwise(self.steps):
            if later <= earlier or more < fewer:
                raise InvalidConfig(f"playouts steps {self.steps}: ({later}, {more}) does not rise")
        if not 1 <= self.steps[0][1] <= self.steps[-1][1] <= _MOST_SIMULATIONS:
            raise InvalidConfig(f"playouts steps {self.steps}: from 1 to {_MOST_SIMULATIONS} simulations")
        if self.unit not in get_args(_Unit):
            raise InvalidConfig(f"playouts unit {self.unit!r}: one of {', '.join(get_args(_Unit))}")
        if not 1 <= self.growth <= 10:
            raise InvalidConfig(f"playouts growth {self.growth}: from 1 to 10")
        if not self.steps[-1][1] <= self.most <= _MOST_SIMULATIONS:
            raise InvalidConfig(f"playouts most {self.most}: at least the {self.steps[-1][1]} of the last step")

    def simulations(self, *, positions: int, minutes: float, standstills: int) -> int:
        """Simulations per move after these positions, minutes and standstills, counted since the run first started."""
        progress = positions if self.unit == "positions" else minutes
        scheduled = next(simulations for start, simulations in reversed(self.steps) if start <= progress)
        return min(self.most, round(scheduled * self.growth ** min(standstills, _MOST_STANDSTILLS)))
