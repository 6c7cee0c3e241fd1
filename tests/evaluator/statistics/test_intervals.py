import math

import numpy as np
import pytest

from evaluator.statistics.intervals import bootstrap_interval, elo, paired_interval, score_interval, wilson


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [(5, 10, 0.2366, 0.7634), (0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (110, 200, 0.4807, 0.6174), (0, 0, 0, 1)],
)
def test_wilson_gives_the_known_bounds(points, games, low, high):
    assert wilson(points, games) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("score", "difference"), [(0.5, 0), (0.64, 99.95), (0.36, -99.95), (1, math.inf), (0, -math.inf)]
)
def test_elo_of_a_score(score, difference):
    assert elo(score) == pytest.approx(difference, abs=0.01)


def test_pairs_that_split_tell_more_than_games_alone():
    low, high = paired_interval([(1, 0)] * 100)
    alone = wilson(100, 200)
    assert 0 < high - low < 0.3 * (alone[1] - alone[0])


def test_pairs_that_go_together_tell_less():
    low, high = paired_interval([(1, 1), (0, 0)] * 50)
    alone = wilson(100, 200)
    assert high - low > 1.3 * (alone[1] - alone[0])


@pytest.mark.parametrize("bias", [0.0, 0.2])
def test_the_paired_interval_holds_the_truth_19_times_in_20(bias):
    generator = np.random.default_rng(1)
    score, held = 0.6, 0
    for _ in range(1000):
        wins = generator.random((60, 2)) < (score + bias, score - bias)
        low, high = paired_interval(wins.astype(float).tolist())
        held += low <= score <= high
    assert 930 <= held <= 980


def test_results_without_a_defeat_leave_the_top_open():
    low, high = paired_interval([(1, 1)] * 100)
    assert 0.95 < low < 0.99
    assert elo(high) == math.inf


@pytest.mark.parametrize("draw", [0.0, 0.5, 0.9])
def test_the_score_s_interval_holds_the_truth_19_times_in_20(draw):
    generator = np.random.default_rng(1)
    chances = np.array([0.6 * (1 - draw), draw, 0.4 * (1 - draw)])
    held = 0
    for _ in range(1000):
        low, high = score_interval(*generator.multinomial(200, chances))
        held += low <= chances[0] + chances[1] / 2 <= high
    assert 930 <= held <= 985


def test_draws_narrow_the_score_s_interval():
    (low, high), (lower, higher) = score_interval(10, 180, 10), score_interval(100, 0, 100)
    assert high - low < (higher - lower) / 2


def test_a_bootstrap_holds_the_expected_score_as_often_as_it_says():
    generator = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        low, high = bootstrap_interval(generator.binomial(1, 0.4, (33, 6)).astype(float).tolist())
        held += low <= 0.4 <= high
    assert 180 <= held <= 199
