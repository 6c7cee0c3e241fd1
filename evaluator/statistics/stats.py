"""Statistics of matches, from counts alone: intervals, Elo, and a test that stops as soon as it knows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z: Final = 1.959964  # of a normal variable; all intervals are of 95 %
_ELO_SCALE: Final = 400.0

ACCEPT: Final = "accept"
REJECT: Final = "reject"
UNCERTAIN: Final = "uncertain"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """Results of games as one side sees them, e.g. `Tally(wins=12, draws=3, losses=5)`."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A point for a win, half of one for a draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points per game; one half if there is no game."""
        return self.points / self.games if self.games else 0.5


def tally(points: Sequence[float]) -> Tally:
    """Count games by their points, each 0, 0.5 or 1."""
    return Tally(wins=points.count(1), draws=points.count(0.5), losses=points.count(0))


def wilson(points: float, games: int) -> tuple[float, float]:
    """Interval of the expected score per game, games taken as independent; all of [0, 1] without a game."""
    if games == 0:
        return 0.0, 1.0
    score = points / games
    centre = score + Z**2 / (2 * games)
    spread = Z * math.sqrt(score * (1 - score) / games + Z**2 / (4 * games**2))
    scale = 1 + Z**2 / games
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def paired_interval(pairs: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Interval of the expected score per game from the points of games that belong together.

    The two games of an opening are not independent: what favours black favours each side once.
    Their sum varies less than that of two games at random, which narrows the interval.  Two pairs
    are added, one won and one lost twice, so that a few equal results do not look certain.  A pair
    may lack a game.
    """
    clusters = [*pairs, (1.0, 1.0), (0.0, 0.0)]
    games = sum(map(len, clusters))
    score = sum(map(sum, clusters)) / games
    spread = math.sqrt(sum((sum(cluster) - len(cluster) * score) ** 2 for cluster in clusters)) / games
    return max(0.0, score - Z * spread), min(1.0, score + Z * spread)


def elo(score: float) -> float:
    """Elo difference at which the score is expected; infinite for 0 and 1."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return _ELO_SCALE * math.log10(score / (1 - score))


@dataclass(frozen=True, kw_only=True, slots=True)
class Sprt:
    """Sequential test whether a score per game is `null` or `alternative`.

    With the default bounds 3 of 100 candidates that are no better are accepted, and most of them are
    gone early:

        while test.verdict(counts) == UNCERTAIN and games < most:
            ...                                  # play on and count
    """

    null: float = 0.50
    alternative: float = 0.55
    lower: float = -1.0
    upper: float = 2.94

    def verdict(self, counts: Sequence[int]) -> str:
        """ACCEPT the alternative, REJECT it, or UNCERTAIN; for `counts` see `log_likelihood_ratio`."""
        ratio = float(log_likelihood_ratio(counts, self.null, self.alternative))
        if ratio >= self.upper:
            return ACCEPT
        return REJECT if ratio <= self.lower else UNCERTAIN


def log_likelihood_ratio(counts: ArrayLike, null: float, alternative: float) -> NDArray[np.float64]:
    """How much better the score `alternative` explains the counts than `null`, in nats, shape [...].

    `counts` [..., C] are of results with 0, 1/(C-1), ..., 1 of the points: losses and wins; losses,
    draws and wins; or pairs of games with 0, 1/2, 1, 3/2 and 2 points.  Under each hypothesis the
    shares of the results are the likeliest ones that have its score.
    """
    observed = np.asarray(counts, np.float64) + 1e-3  # keeps a result that has not occurred possible
    return _log_likelihood(observed, alternative) - _log_likelihood(observed, null)


def _log_likelihood(counts: NDArray[np.float64], score: float) -> NDArray[np.float64]:
    """Of the likeliest shares with the score, less that of the observed shares.

    By Lagrange these are observed / (1 + weight * distance), where the distances from the score sum
    to zero: the weight lies between two poles, and the sum falls from one to the other.
    """
    distance = np.linspace(0, 1, counts.shape[-1]) - score
    low = np.full(counts.shape[:-1], -1 / distance[-1])
    high = np.full(counts.shape[:-1], -1 / distance[0])
    for _ in range(50):
        weight = (low + high) / 2
        rising = (counts * distance / (1 + weight[..., None] * distance)).sum(-1) > 0
        low, high = np.where(rising, weight, low), np.where(rising, high, weight)
    likelihood: NDArray[np.float64] = -(counts * np.log1p(weight[..., None] * distance)).sum(-1)
    return likelihood
