"""Is one side better than the other?  A test of pairs of games that stops as soon as it knows.

A pair is one opening played twice, with the colours swapped.  Its margin is what one side won more games than
it lost: from -2 to 2.  Between equal sides a margin is as likely as its opposite, whatever the opening is worth to
black: given how large the margins are, their signs are tosses of a coin.  Nothing but this is used, so the test
holds for any share of draws and any bias to a colour; a pair that is split or drawn says nothing.

Among P players one side has a single seat and the other all the rest, and for the second game they exchange their
seats.  A win is worth P points and a draw one to each seat; the margin, from -P to P, is what the one alone made more
in its game than the other alone in its own.  Equal sides make it or its opposite as often, so the same holds.

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
MARGINS: Final = (-2, -1, 0, 1, 2)  # of two players

_BETTER: Final = (0.65, 0.85)  # shares of the decided games by which a better side is soon found
_HOPED_FOR: Final = 0.6  # share by which it should be found
_LOST_HOPE: Final = -2.5  # nats: a side that wins the share hoped for falls so low with a chance of 8 % at most


def evidence(pairs: ArrayLike) -> NDArray[np.float64]:
    """How much better the margins are explained by a better side than by equal ones, in nats, shape [...].

    `pairs` [..., 2 P + 1] counts the pairs with each margin from -P to P, of two players MARGINS.
    """
    counts = np.asarray(pairs, np.float64)
    ratios = np.stack([counts @ _log_ratios(share, counts.shape[-1] // 2) for share in _BETTER])
    mean: NDArray[np.float64] = np.logaddexp.reduce(ratios, axis=0) - math.log(len(_BETTER))
    return mean


def is_better_early(pairs: ArrayLike) -> NDArray[np.bool_]:
    """Whether the evidence is so strong that the match may end before its time."""
    return evidence(pairs) >= -math.log(EARLY)


def is_hopeless(pairs: ArrayLike) -> NDArray[np.bool_]:
    """Whether the side does not look as if it won a share of the decided games that is worth waiting for."""
    counts = np.asarray(pairs, np.float64)
    return counts @ _log_ratios(_HOPED_FOR, counts.shape[-1] // 2) <= _LOST_HOPE


def is_better_at_last(pairs: Sequence[int]) -> bool:
    """Whether a side is better at the end of a match that did not end early."""
    return chance_of_equals(pairs) <= LEVEL - EARLY


def chance_of_equals(pairs: Sequence[int]) -> float:
    """The exact chance that margins of these sizes, with signs by the toss of a coin, add up to as much or more."""
    players = len(pairs) // 2
    lost, won = pairs[:players][::-1], pairs[players + 1 :]
    sizes = tuple(one + other for one, other in zip(lost, won, strict=True))
    margin = sum(size * (won[size - 1] - lost[size - 1]) for size in range(1, players + 1))
    most = sum(size * count for size, count in enumerate(sizes, 1))
    return float(_chances_of_at_least(sizes)[margin + most])


@lru_cache(maxsize=1024)
def _chances_of_at_least(sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """[2 * most + 1] chance of each sum of margins or more, from -most to most; `sizes` counts those of 1 to P."""
    chances = np.ones(1)
    for size, count in enumerate(sizes, 1):
        chances = np.convolve(chances, _tosses(count, step=2 * size))
    return np.cumsum(chances[::-1])[::-1]


def _tosses(count: int, step: int) -> NDArray[np.float64]:
    """[step * count + 1] distribution of the sum of `count` tosses, each worth half a step up or down, lowest first."""
    chances = np.zeros(step * count + 1)
    chances[::step] = [math.comb(count, heads) / 2**count for heads in range(count + 1)]
    return chances


def _log_ratios(share: float, players: int) -> NDArray[np.float64]:
    """[2 P + 1] logarithm of the chance of each margin, given its size, if a side wins this share, against one half.

    The greatest margin is that of two games won, however many players there are.
    """
    odds = share / (1 - share)
    return np.array([math.log(2 / (1 + odds ** (-2 * margin / players))) for margin in range(-players, players + 1)])
