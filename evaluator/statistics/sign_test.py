"""Is one side better than the other?  A test of pairs of games that stops as soon as it knows.

A pair is one opening played twice, with the colours swapped.  Its margin is what one side won more games than
it lost: from -2 to 2.  Between equal sides a margin is as likely as its opposite, whatever the opening is worth to
black: given how large the margins are, their signs are tosses of a coin.  Nothing but this is used, so the test
holds for any share of draws and any bias to a colour; a pair that is split or drawn says nothing.

Equal sides pass it in at most LEVEL of all matches:

    early      the likelihood of the margins, if one side wins 65 % or 85 % of the decided games, against a coin:
               its mean over the two ever grows to 1 / EARLY with a chance of EARLY at most (Ville's inequality)
    at the end the exact chance of a coin to do as well, which may be what is left: LEVEL - EARLY

Who does not look like winning 60 % of the decided games is given up early, which costs no chance of error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL: Final = 0.05  # chance that the better of two equal sides is found
EARLY: Final = 0.005  # of it, that this happens before the end
MARGINS: Final = (-2, -1, 0, 1, 2)

_BETTER: Final = (0.65, 0.85)  # shares of the decided games by which a better side is soon found
_HOPED_FOR: Final = 0.6  # share by which it should be found
_LOST_HOPE: Final = -2.5  # nats: a side that wins the share hoped for falls so low with a chance of 8 % at most


def evidence(pairs: ArrayLike) -> NDArray[np.float64]:
    """How much better the margins are explained by a better side than by equal ones, in nats, shape [...].

    `pairs` [..., 5] counts the pairs with each of MARGINS.
    """
    counts = np.asarray(pairs, np.float64)
    ratios = np.stack([counts @ _log_ratios(share) for share in _BETTER])
    mean: NDArray[np.float64] = np.logaddexp.reduce(ratios, axis=0) - math.log(len(_BETTER))
    return mean


def is_better_early(pairs: ArrayLike) -> NDArray[np.bool_]:
    """Whether the evidence is so strong that the match may end before its time."""
    return evidence(pairs) >= -math.log(EARLY)


def is_hopeless(pairs: ArrayLike) -> NDArray[np.bool_]:
    """Whether the side does not look as if it won a share of the decided games that is worth waiting for."""
    return np.asarray(pairs, np.float64) @ _log_ratios(_HOPED_FOR) <= _LOST_HOPE


def is_better_at_last(pairs: Sequence[int]) -> bool:
    """Whether a side is better at the end of a match that did not end early."""
    return chance_of_equals(pairs) <= LEVEL - EARLY


def chance_of_equals(pairs: Sequence[int]) -> float:
    """The exact chance that margins of these sizes, with signs by the toss of a coin, add up to as much or more."""
    lost_both, lost, _, won, won_both = pairs
    single, double = lost + won, lost_both + won_both
    margin = won - lost + 2 * (won_both - lost_both)
    return float(_chances_of_at_least(single, double)[margin + single + 2 * double])


@lru_cache(maxsize=1024)
def _chances_of_at_least(single: int, double: int) -> NDArray[np.float64]:
    """[2 * most + 1] chance of each sum of margins or a greater one, from -most to most = single + 2 * double."""
    chances = np.convolve(_tosses(single, step=2), _tosses(double, step=4))
    return np.cumsum(chances[::-1])[::-1]


def _tosses(count: int, step: int) -> NDArray[np.float64]:
    """[step * count + 1] distribution of the sum of `count` tosses, each worth half a step up or down, lowest first."""
    chances = np.zeros(step * count + 1)
    chances[::step] = [math.comb(count, heads) / 2**count for heads in range(count + 1)]
    return chances


def _log_ratios(share: float) -> NDArray[np.float64]:
    """[5] logarithm of the chance of each margin, given its size, if a side wins this share, against one half."""
    odds = share / (1 - share)
    return np.array([math.log(2 / (1 + odds**-margin)) for margin in MARGINS])
