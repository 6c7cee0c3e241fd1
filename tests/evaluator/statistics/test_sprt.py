import math

import numpy as np
import pytest

from evaluator.statistics.sprt import ACCEPT, REJECT, UNCERTAIN, Sprt, log_likelihood_ratio


def test_the_ratio_of_wins_and_losses_is_the_plain_one():
    expected = 60 * math.log(0.55 / 0.5) + 40 * math.log(0.45 / 0.5)
    assert log_likelihood_ratio([40, 60], 0.5, 0.55) == pytest.approx(expected, abs=1e-3)
    assert log_likelihood_ratio([40, 0, 60], 0.5, 0.55) == pytest.approx(expected, abs=0.02)


def test_draws_are_evidence_too():
    assert log_likelihood_ratio([0, 40, 0], 0.5, 0.55) < 0
    drawish, sharp = log_likelihood_ratio([[10, 40, 30], [30, 0, 50]], 0.5, 0.55)  # both 50 points of 80
    assert drawish > 1.5 * sharp > 0


def test_the_verdict_follows_the_bounds():
    test = Sprt()
    assert test.verdict([0, 0]) == UNCERTAIN
    assert test.verdict([0, 31]) == ACCEPT
    assert test.verdict([10, 0]) == REJECT


@pytest.fixture(scope="module")
def ratios():
    """[wins, losses] of up to 400 games."""
    wins, losses = np.meshgrid(np.arange(401), np.arange(401), indexing="ij")
    return log_likelihood_ratio(np.stack([losses, wins], -1), 0.5, 0.55)


def promoted(ratios, win):
    """Exact chance to be promoted, and games on average: tested after every other game, at 400 by 55 %."""
    test = Sprt()
    alive, chance, games = np.ones(1), 0.0, 0.0  # [wins so far]
    for played in range(1, 401):
        games += alive.sum()
        alive = np.append(alive, 0) * (1 - win) + np.append(0, alive) * win
        wins = np.arange(played + 1)
        if played % 2 == 0:
            ratio = ratios[wins, played - wins]
            chance += alive[ratio >= test.upper].sum()
            alive[(ratio >= test.upper) | (ratio <= test.lower)] = 0
    return chance + alive[220:].sum(), games


@pytest.mark.parametrize(("win", "chance", "games"), [(0.50, 0.029, 161), (0.55, 0.49, 261), (0.60, 0.95, 189)])
def test_the_gate_errs_as_rarely_as_computed(ratios, win, chance, games):
    assert promoted(ratios, win) == pytest.approx((chance, games), rel=0.015)


def pairs_until_known(score, bias, runs=400, most=200):
    """Share of candidates accepted within the cap, and games on average, when pairs are tested."""
    wins = np.random.default_rng(1).random((runs, most, 2)) < (score + bias, score - bias)
    counts = np.cumsum(np.eye(5)[2 * wins.sum(-1)], axis=1)
    ratios = log_likelihood_ratio(counts, 0.5, 0.55)
    decided = (ratios >= 2.94) | (ratios <= -1.0)
    length = np.where(decided.any(1), decided.argmax(1), most - 1)
    return (ratios[np.arange(runs), length] >= 2.94).mean(), 2 * (length + 1).mean()


def test_pairs_need_fewer_games_when_black_is_favoured():
    falsely, games = pairs_until_known(0.5, 0.3)
    assert falsely < 0.05
    assert games < 0.75 * 161
    rightly, games = pairs_until_known(0.6, 0.3)
    assert rightly > 0.93
    assert games < 0.75 * 189
