"""Intervals of scores, and the differences in Elo that they stand for; all are of 95 %."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

Z: Final = 1.959964  # of a normal variable
_ELO_SCALE: Final = 400.0
_DRAWS: Final = 10_000  # of a bootstrap
_SEED: Final = 1


def wilson(points: float, games: int) -> tuple[float, float]:
    """Interval of the expected score per game, games taken as independent; all of [0, 1] without a game."""
    if games == 0:
        return 0.0, 1.0
    score = points / games
    centre = score + Z**2 / (2 * games)
    spread = Z * math.sqrt(score * (1 - score) / games + Z**2 / (4 * games**2))
    scale = 1 + Z**2 / games
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def score_interval(wins: int, draws: int, losses: int) -> tuple[float, float]:
    """Interval of the expected score per game, games taken as independent, which draws narrow.

    A win and a loss are added, so that a few equal results do not look certain.
    """
    games = wins + draws + losses + 2
    score = (wins + 1 + draws / 2) / games
    squares = (wins + 1) * (1 - score) ** 2 + draws * (0.5 - score) ** 2 + (losses + 1) * score**2
    spread = Z * math.sqrt(squares) / games
    return max(0.0, score - spread), min(1.0, score + spread)


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


def bootstrap_interval(clusters: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The same from clusters of any size, by drawing as many of them again and again; equal clusters, equal interval.

    Two pairs are added as above.
    """
    drawn = [*clusters, (1.0, 1.0), (0.0, 0.0)]
    points, games = (np.array([count(cluster) for cluster in drawn], np.float64) for count in (sum, len))
    weights = np.random.default_rng(_SEED).multinomial(len(drawn), np.full(len(drawn), 1 / len(drawn)), size=_DRAWS)
    low, high = np.quantile((weights @ points) / (weights @ games), [0.025, 0.975])
    return float(low), float(high)


def elo(score: float) -> float:
    """Elo difference at which the score is expected; infinite for 0 and 1."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return _ELO_SCALE * math.log10(score / (1 - score))
