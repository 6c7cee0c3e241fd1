import numpy as np
import pytest

from evaluator.statistics.bradley_terry import PRIOR_ELO, CrossTable, bradley_terry, rate
from evaluator.statistics.intervals import elo

ANCHOR = "rollout:sims=1000"
ANCHORS = {ANCHOR: 0.0}


def results(*matches):
    """A table of (first, second, points of the first, games)."""
    table = CrossTable()
    for first, second, points, games in matches:
        for number in range(games):
            table.add(first, second, min(1.0, max(0.0, points - number)))
    return table


def synthetic(generator, strengths, games):
    """[N, N] points of players who each meet their neighbours, the next two after, and player 0."""
    players = len(strengths)
    points = np.zeros((players, players))
    meetings = {(i, j) for i in range(players) for j in (i - 1, i - 2, 0) if 0 <= j < i}
    for i, j in meetings:
        wins = generator.binomial(games, 1 / (1 + 10 ** ((strengths[j] - strengths[i]) / 400)))
        points[i, j], points[j, i] = wins, games - wins
    return points


def test_the_error_bars_hold_the_truth_19_times_in_20():
    generator = np.random.default_rng(1)
    held = []
    for _ in range(40):
        strengths = np.append(0, generator.normal(200, 200, 24))
        fixed = np.append(0, np.full(24, np.nan))
        found, error = bradley_terry(synthetic(generator, strengths, 40), fixed)
        held += (np.abs(found - strengths) <= error)[1:].tolist()
    assert 0.93 <= np.mean(held) <= 0.97


def test_a_match_against_the_anchor_gives_the_elo_of_its_score():
    ratings = {each.name: each for each in rate(results(("v1", ANCHOR, 150.5, 200)), ANCHORS)}
    assert ratings["v1"].elo == pytest.approx(elo(150.5 / 200), abs=2)
    assert ratings["v1"].games == ratings[ANCHOR].games == 200
    assert (ratings[ANCHOR].elo, ratings[ANCHOR].error) == (0, 0)


def test_more_games_narrow_the_error():
    few, many = (rate(results(("v1", ANCHOR, games / 2, games)), ANCHORS)[0].error for games in (100, 400))
    assert many == pytest.approx(few / 2, rel=0.05)


def test_strength_passes_on_along_a_chain():
    table = results((ANCHOR, "v1", 25, 100), ("v1", "v2", 25, 100), ("v2", "v3", 25, 100))
    found = {each.name: each for each in rate(table, ANCHORS)}
    step = elo(0.75)
    assert [found[name].elo for name in ("v1", "v2", "v3")] == pytest.approx([step, 2 * step, 3 * step], rel=0.05)
    assert found["v1"].error < found["v2"].error < found["v3"].error


def test_players_who_win_or_lose_everything_stay_finite():
    found = {each.name: each for each in rate(results(("v1", ANCHOR, 20, 20), ("v2", ANCHOR, 0, 20)), ANCHORS)}
    assert found["v1"].elo == pytest.approx(-found["v2"].elo)
    assert 600 < found["v1"].elo < 1200
    assert found["v1"].elo - found["v1"].error < elo(0.95) < found["v1"].elo + found["v1"].error


def test_a_group_without_an_anchor_is_compared_within_and_uncertain_without():
    table = results(("v8", "v9", 30, 120), ("v1", ANCHOR, 60, 120))
    found = {each.name: each for each in rate(table, ANCHORS)}
    assert found["v9"].elo - found["v8"].elo == pytest.approx(elo(0.75), rel=0.05)
    assert found["v9"].error > PRIOR_ELO > 10 * found["v1"].error


def test_without_a_game_there_is_no_rating():
    assert rate(CrossTable(), ANCHORS) == ()


def test_two_hundred_players_far_apart_get_their_likeliest_ratings():
    strengths = np.linspace(-1500, 3000, 200)
    points = synthetic(np.random.default_rng(2), strengths, 20)
    found, error = bradley_terry(points, np.where(np.arange(200) == 0, -1500, np.nan))
    expected = (points + points.T) / (1 + 10 ** ((found - found[:, None]) / 400))
    pull = found / PRIOR_ELO * (400 / np.log(10) / PRIOR_ELO)  # of the prior: it balances the surplus of points
    assert (points - expected).sum(1)[1:] == pytest.approx(pull[1:], abs=1e-6)
    assert (error[1:] > 0).all()
