"""Strengths are found again from games that were drawn by the model."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evaluator.statistics.intervals import elo as elo_of
from evaluator.statistics.rao_kupper import fit, slope_at_zero


def chances(difference: float, draw: float) -> tuple[float, float, float]:
    """Of black's win, the draw and white's win, where black is ahead by so many Elo."""
    black, white = (1 / (1 + 10 ** ((draw - sign * difference) / 400)) for sign in (1, -1))
    return black, 1 - black - white, white


def expected(elo: list[float], games: int, advantage: float, draw: float) -> np.ndarray:
    results = np.zeros((len(elo), len(elo), 3), np.int64)
    for black, first in enumerate(elo):
        for white, second in enumerate(elo):
            if black != white:
                results[black, white] = np.rint(np.array(chances(first + advantage - second, draw)) * games)
    return results


@pytest.mark.parametrize(("advantage", "draw"), [(0, 50), (150, 20), (-80, 300)])
def test_strengths_come_out_as_they_were_put_in(advantage: float, draw: float) -> None:
    found = fit(expected([-300, 0, 50, 250], 100_000, advantage, draw))
    scale = slope_at_zero(draw * math.log(10) / 400)
    assert found.elo / scale == pytest.approx([-300, 0, 50, 250], abs=1)
    assert found.advantage / scale == pytest.approx(advantage, abs=1)


@pytest.mark.parametrize("draw", [1, 100, 500])
def test_a_small_lead_is_the_elo_of_its_score(draw: float) -> None:
    win, drawn, _ = chances(20, draw)
    results = expected([0, 20], 1_000_000, 0, draw)
    found = fit(results)
    assert found.elo[1] - found.elo[0] == pytest.approx(elo_of(win + drawn / 2), rel=0.02)


def test_the_interval_holds_the_truth_in_95_of_100_tournaments() -> None:
    random, elo, held = np.random.default_rng(1), np.array([-100.0, 0.0, 100.0]), []
    for _ in range(200):
        results = np.zeros((3, 3, 3), np.int64)
        for black, white in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
            results[black, white] = random.multinomial(40, chances(elo[black] - elo[white] + 60, 80))
        found = fit(results)
        held.append(np.abs(found.elo - elo * slope_at_zero(80 * math.log(10) / 400)) < found.error)
    assert 0.92 < np.mean(held) < 0.98


def test_more_games_say_more_and_draws_are_no_wins() -> None:
    few, many = (fit(expected([-50, 50], games, 0, 100)) for games in (10, 1000))
    assert many.error[0] < few.error[0] / 5
    drawn = np.zeros((2, 2, 3), np.int64)
    drawn[0, 1, 1] = drawn[1, 0, 1] = 50
    assert fit(drawn).elo == pytest.approx([0, 0], abs=1e-6)


def test_who_never_loses_stays_finite() -> None:
    won = np.zeros((2, 2, 3), np.int64)
    won[0, 1, 0] = won[1, 0, 2] = 50
    found = fit(won)
    assert 300 < found.elo[0] - found.elo[1] < 3000
    assert np.all(np.isfinite(found.error))
