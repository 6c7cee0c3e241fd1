"""Elo of players from games with colours and draws: the model of Rao and Kupper, as BayesElo uses it.

With d = (elo of black + advantage of black - elo of white), black wins with probability s(d - draw), white with
s(-d - draw), where s(x) = 1 / (1 + 10^(-x / 400)); the rest is drawn.  Advantage and draw are found with the players'
Elo.  A draw between two players says that they are near each other, and the more so the rarer draws are.

What is found is scaled as BayesElo does: where d is small, a score then means the same Elo as it does without draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.intervals import Z

_ELO_PER_NAT: Final = 400 / math.log(10)
_PRIOR: Final = 1000 / _ELO_PER_NAT  # standard deviation of each unknown; keeps finite who is never beaten
_DRAWS_BEFORE: Final = 0.5  # drawn games of equal players that are taken for granted, so that draws are never ruled out
_LONGEST_STEP: Final = 1.0  # nats
_TOLERANCE: Final = 1e-9
_MOST_STEPS: Final = 500


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Strengths:
    """What the games of N players say; their mean Elo is 0."""

    elo: NDArray[np.float64]  # [N]
    error: NDArray[np.float64]  # [N] half the interval of 95 %
    advantage: float  # Elo of moving first


def fit(results: NDArray[np.int64]) -> Strengths:
    """The likeliest strengths; `results` [N, N, 3]: games the row's player won as black, drew, and lost."""
    players = len(results)
    directions = _directions(players)
    weights, draws = _weights(results), float(results[:, :, 1].sum()) + _DRAWS_BEFORE
    unknown = np.zeros(players + 2)  # Elo of each player, the advantage, the draw; in nats
    unknown[-1] = 0.1
    for _ in range(_MOST_STEPS):
        slope, curvature = _derivatives(unknown, directions, weights, draws)
        step = np.linalg.solve(curvature, slope)
        longest = float(np.abs(step).max())
        # A full step from afar overshoots, and the draw stays above 0.
        unknown += step * min(
            1.0, _LONGEST_STEP / max(longest, _LONGEST_STEP), unknown[-1] / max(-2 * step[-1], 1e-300)
        )
        if longest < _TOLERANCE:
            break
    covariance = np.linalg.inv(_derivatives(unknown, directions, weights, draws)[1])
    to_mean = np.eye(players) - 1 / players
    spread = to_mean @ covariance[:players, :players] @ to_mean.T
    scale = _ELO_PER_NAT * slope_at_zero(float(unknown[-1]))
    return Strengths(
        elo=to_mean @ unknown[:players] * scale,
        error=Z * np.sqrt(np.diag(spread)) * scale,
        advantage=float(unknown[-2]) * scale,
    )


def slope_at_zero(draw: float) -> float:
    """How much slower the score rises with d at 0 than if nothing were drawn; `draw` in nats."""
    return 1 / math.cosh(draw / 2) ** 2


def _directions(players: int) -> NDArray[np.float64]:
    """[2 * N * N + 2, N + 2] how far black and white are ahead, by the unknowns; the last pair are equal players."""
    black, white = (index.ravel() for index in np.indices((players, players)))
    rows = np.arange(players * players)
    ahead = np.zeros((2, len(rows) + 1, players + 2))
    ahead[0, rows, black] += 1.0
    ahead[0, rows, white] -= 1.0
    ahead[0, :, -2] = 1.0
    ahead[1] = -ahead[0]
    ahead[:, :, -1] = -1.0
    return ahead.reshape(-1, players + 2)


def _weights(results: NDArray[np.int64]) -> NDArray[np.float64]:
    """[2 * N * N + 2] games that black, then that white, did not lose: a draw counts for both."""
    taken = (0.0, _DRAWS_BEFORE, 0.0)
    black, draw, white = (np.append(results[:, :, index], taken[index]) for index in range(3))
    return np.concatenate([black + draw, white + draw])


def _derivatives(
    unknown: NDArray[np.float64], directions: NDArray[np.float64], weights: NDArray[np.float64], draws: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Slope [N + 2] of the logarithm of the posterior, and its curvature [N + 2, N + 2] with the sign changed."""
    chance = 1 / (1 + np.exp(-directions @ unknown))
    slope = directions.T @ (weights * (1 - chance))
    curvature = (directions.T * (weights * chance * (1 - chance))) @ directions
    grown = math.expm1(2 * unknown[-1])
    slope[-1] += 2 * draws * (grown + 1) / grown
    curvature[-1, -1] += 4 * draws * (grown + 1) / grown**2
    return slope - unknown / _PRIOR**2, curvature + np.eye(len(unknown)) / _PRIOR**2
