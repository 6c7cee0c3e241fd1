from __future__ import annotations

import math

import numpy as np
import pytest

from evaluator.statistics.seeds import (
    DOES_NOT_REPEAT,
    OPEN,
    REPEATS,
    difference_interval,
    mean_interval,
    verdict,
)


def test_the_mean_of_three_by_hand() -> None:
    low, high = mean_interval([1, 2, 3])
    assert (low, high) == (pytest.approx(2 - 4.303 / math.sqrt(3)), pytest.approx(2 + 4.303 / math.sqrt(3)))


def test_one_seed_says_nothing() -> None:
    assert mean_interval([5]) == (-math.inf, math.inf)
    assert difference_interval([5], [1, 2]) == (-math.inf, math.inf)


def test_the_difference_by_hand() -> None:
    low, high = difference_interval([4, 5, 6], [1, 2, 3])  # equal variances: 4 degrees of freedom
    assert (low, high) == (pytest.approx(3 - 2.776 * math.sqrt(2 / 3)), pytest.approx(3 + 2.776 * math.sqrt(2 / 3)))


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(2000):
        low, high = difference_interval(random.normal(1, 1, 3).tolist(), random.normal(0, 3, 3).tolist())
        held += low <= 1 <= high
    assert 0.93 < held / 2000 < 0.99


@pytest.mark.parametrize(
    ("more", "less", "expected"),
    [
        ([10, 11, 12], [1, 2, 3], REPEATS),
        ([1, 2, 3], [10, 11, 12], DOES_NOT_REPEAT),
        ([1, 5, 9], [2, 4, 6], OPEN),
        ([10, 11], [1, 2], OPEN),
        ([3, 3, 3], [3, 3, 3], OPEN),
    ],
)
def test_the_verdict(more: list[float], less: list[float], expected: str) -> None:
    assert verdict(more, less) == expected
