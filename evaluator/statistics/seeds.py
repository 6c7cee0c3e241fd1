"""Means over trainings with different seeds, their intervals of 95 %, and the verdict on a claim.

The rule of the verdict.  A claim says that one variant has more of a measure than another.  With at least three seeds
of each, it *repeats* if the whole interval of the difference lies above 0, and *does not repeat* if it lies below 0.
Everything else is *open*.

Intervals are Student's.  Variances may differ between variants (Welch); degrees of freedom are rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

REPEATS: Final = "repeats"
DOES_NOT_REPEAT: Final = "does not repeat"
OPEN: Final = "open"
FEWEST_SEEDS: Final = 3
_NORMAL: Final = 1.960
# The quantile .975 of Student's distribution with 1, 2, ... 30 degrees of freedom.
_STUDENT: Final = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)

Interval = tuple[float, float]


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the interval of the mean; of fewer than two values it is infinite."""
    if len(values) < 2:
        return -math.inf, math.inf
    return _around(float(np.mean(values)), _squared_error(values), len(values) - 1)


def difference_interval(more: Sequence[float], less: Sequence[float]) -> Interval:
    """Return the interval of the difference of two means; if either has fewer than two values it is infinite."""
    if min(len(more), len(less)) < 2:
        return -math.inf, math.inf
    errors = [_squared_error(values) for values in (more, less)]
    weights = sum(error**2 / (len(values) - 1) for error, values in zip(errors, (more, less), strict=True))
    freedom = math.floor(sum(errors) ** 2 / weights + 1e-9) if weights else len(more) + len(less) - 2
    return _around(float(np.mean(more) - np.mean(less)), sum(errors), freedom)


def verdict(more: Sequence[float], less: Sequence[float]) -> str:
    """Return the verdict on the claim that `more` exceeds `less`, by the rule above."""
    if min(len(more), len(less)) < FEWEST_SEEDS:
        return OPEN
    low, high = difference_interval(more, less)
    return REPEATS if low > 0 else DOES_NOT_REPEAT if high < 0 else OPEN


def _squared_error(values: Sequence[float]) -> float:
    """Return the variance of the mean."""
    return float(np.var(values, ddof=1)) / len(values)


def _around(centre: float, squared_error: float, freedom: int) -> Interval:
    quantile = _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else _NORMAL
    spread = quantile * math.sqrt(squared_error)
    return centre - spread, centre + spread
