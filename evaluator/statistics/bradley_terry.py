"""Elo of all players from all their games: the model of Bradley and Terry, with error bars.

The probability that i beats j is 1 / (1 + 10^((elo_j - elo_i) / 400)); a draw is half a win for
each.  A weak normal prior around 0 keeps players finite who have won or lost all their games, and
says plainly how little is known of players who are not connected to a fixed one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.intervals import Z

PRIOR_ELO: Final = 1000.0  # standard deviation of the prior

_ELO_PER_NAT: Final = 400 / math.log(10)
_LONGEST_STEP: Final = 1.0  # nats
_TOLERANCE: Final = 1e-9
_MOST_STEPS: Final = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Rating:
    """A player's strength, e.g. `Rating(name="v12", elo=311.0, error=42.0, games=180)`."""

    name: str
    elo: float
    error: float  # half the interval of 95 %; 0 for a fixed player
    games: int


class CrossTable:
    """Points of each player against each other."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}  # by name
        self._points: dict[tuple[int, int], float] = {}

    def add(self, first: str, second: str, points: float) -> None:
        """Count a game in which `first` made 1, 0.5 or 0 points."""
        row, column = (self._index.setdefault(name, len(self._index)) for name in (first, second))
        for pair, share in (((row, column), points), ((column, row), 1 - points)):
            self._points[pair] = self._points.get(pair, 0.0) + share

    @property
    def names(self) -> tuple[str, ...]:
        """The players, in the order in which they came."""
        return tuple(self._index)

    @property
    def games(self) -> int:
        """Number of games that were counted."""
        return round(sum(self._points.values()))

    def matrix(self) -> NDArray[np.float64]:
        """[N, N] points of the row's player against the column's."""
        points = np.zeros((len(self._index), len(self._index)))
        for pair, share in self._points.items():
            points[pair] = share
        return points


def rate(table: CrossTable, anchors: Mapping[str, float]) -> tuple[Rating, ...]:
    """Rating of each player of the table, in its order; the anchors, Elo by name, keep theirs."""
    points = table.matrix()
    fixed = np.array([anchors.get(name, math.nan) for name in table.names])
    elo, error = bradley_terry(points, fixed)
    games = (points + points.T).sum(1)
    return tuple(
        Rating(name=name, elo=float(elo[row]), error=float(error[row]), games=round(games[row]))
        for row, name in enumerate(table.names)
    )


def bradley_terry(
    points: NDArray[np.float64], fixed: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Likeliest Elo [N] and half the 95 % interval [N] from `points` [N, N]; `fixed` [N] is NaN where it is sought."""
    is_free = np.isnan(fixed)
    strength = np.where(is_free, 0.0, fixed) / _ELO_PER_NAT
    games = points + points.T
    for _ in range(_MOST_STEPS):
        expected = 1 / (1 + np.exp(strength - strength[:, None]))
        step = np.linalg.solve(_curvature(games, expected, is_free), _slope(points, games, expected, strength, is_free))
        # The logarithm of the likelihood is concave, but a full step from afar overshoots.
        longest = float(np.abs(step).max(initial=0))
        strength[is_free] += step * min(1, _LONGEST_STEP / max(longest, _LONGEST_STEP))
        if longest < _TOLERANCE:
            break
    error = np.zeros(len(strength))
    expected = 1 / (1 + np.exp(strength - strength[:, None]))
    error[is_free] = Z * np.sqrt(np.diag(np.linalg.inv(_curvature(games, expected, is_free))))
    return strength * _ELO_PER_NAT, error * _ELO_PER_NAT


def _slope(
    points: NDArray[np.float64],
    games: NDArray[np.float64],
    expected: NDArray[np.float64],
    strength: NDArray[np.float64],
    is_free: NDArray[np.bool_],
) -> NDArray[np.float64]:
    slope: NDArray[np.float64] = (points - games * expected).sum(1) - strength * (_ELO_PER_NAT / PRIOR_ELO) ** 2
    return slope[is_free]


def _curvature(
    games: NDArray[np.float64], expected: NDArray[np.float64], is_free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Negative Hessian of the logarithm of the posterior, of the free players."""
    information = games * expected * (1 - expected)
    hessian = np.diag(information.sum(1) + (_ELO_PER_NAT / PRIOR_ELO) ** 2) - information
    curvature: NDArray[np.float64] = hessian[np.ix_(is_free, is_free)]
    return curvature
