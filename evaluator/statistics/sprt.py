"""A sequential test of a score, which stops as soon as it knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

ACCEPT: Final = "accept"
REJECT: Final = "reject"
UNCERTAIN: Final = "uncertain"


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
    """Log of the likelihood of the counts under the score `alternative` over that under `null`, shape [...].

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
