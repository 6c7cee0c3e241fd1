import itertools
import math

import numpy as np
import pytest

from evaluator.statistics.sign_test import (
    EARLY,
    LEVEL,
    MARGINS,
    chance_of_equals,
    evidence,
    is_better_at_last,
    is_better_early,
    is_hopeless,
)


def counted(margins):
    margins = list(margins)
    return [margins.count(margin) for margin in MARGINS]


def tossed(sizes):
    """The sums of margins of these sizes under every choice of signs."""
    return [sum(margins) for margins in itertools.product(*((-size, size) for size in sizes))]


@pytest.mark.parametrize("sizes", [(1,), (2, 2), (1, 1, 2), (1, 2, 2, 1, 2, 1, 1)])
def test_the_chance_of_equals_is_counted_over_all_signs(sizes):
    sums = tossed(sizes)
    for signs in itertools.product((-1, 1), repeat=len(sizes)):
        margins = [sign * size for sign, size in zip(signs, sizes, strict=True)]
        expected = np.mean([each >= sum(margins) for each in sums])
        assert chance_of_equals(counted(margins)) == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [(3,), (1, 2, 3), (3, 3, 2, 1, 1)])
def test_margins_of_three_players_are_counted_over_all_signs(sizes):
    sums = tossed(sizes)
    for signs in itertools.product((-1, 1), repeat=len(sizes)):
        margins = [sign * size for sign, size in zip(signs, sizes, strict=True)]
        counts = [margins.count(margin) for margin in range(-3, 4)]
        assert chance_of_equals(counts) == pytest.approx(np.mean([each >= sum(margins) for each in sums]))
    assert evidence([0] * 6 + [5]) == pytest.approx(evidence([0] * 4 + [5]))  # two games won each


def test_split_and_drawn_pairs_say_nothing():
    assert evidence([0, 0, 200, 0, 0]) == 0
    assert evidence([1, 2, 100, 5, 4]) == pytest.approx(evidence([1, 2, 0, 5, 4]))
    assert chance_of_equals([0, 3, 190, 7, 0]) == chance_of_equals([0, 3, 0, 7, 0])


def test_the_likelihood_of_margins_is_a_fair_bet_between_equals():
    sizes = (1, 2, 1, 2, 2)
    bets = [
        math.exp(evidence(counted(sign * size for sign, size in zip(signs, sizes, strict=True))))
        for signs in itertools.product((-1, 1), repeat=len(sizes))
    ]
    assert np.mean(bets) == pytest.approx(1)


def test_many_matches_are_looked_at_at_once():
    pairs = np.array([[0, 0, 5, 20, 0], [20, 0, 5, 0, 0]])
    assert is_better_early(pairs).tolist() == [True, False]
    assert is_hopeless(pairs).tolist() == [False, True]
    assert evidence(pairs)[0] == evidence(pairs[0])


def test_equals_pass_early_and_in_all_as_rarely_as_it_says():
    margins = np.random.default_rng(1).choice(MARGINS, p=[0.1, 0.2, 0.4, 0.2, 0.1], size=(4000, 200))
    counts = np.stack([(margins == margin).cumsum(axis=1) for margin in MARGINS], axis=-1)
    early = is_better_early(counts).any(axis=1)
    at_last = np.array([is_better_at_last(each) for each in counts[:, -1].tolist()])
    assert 0 < early.mean() <= EARLY
    assert 0.6 * LEVEL < (early | at_last).mean() <= LEVEL
