"""Results of games, counted as one side sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """Results of games as one side sees them, e.g. `Tally(wins=12, draws=3, losses=5)`."""

    wins: int
    draws: int
    losses: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(wins=self.wins + other.wins, draws=self.draws + other.draws, losses=self.losses + other.losses)

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A point for a win, half of one for a draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points per game; one half if there is no game."""
        return self.points / self.games if self.games else 0.5


NO_GAMES: Final = Tally(wins=0, draws=0, losses=0)


def tally(points: Sequence[float]) -> Tally:
    """Count games by their points, each 1 for a win, 0 for a loss, and between them for a draw."""
    wins, losses = points.count(1), points.count(0)
    return Tally(wins=wins, draws=len(points) - wins - losses, losses=losses)
