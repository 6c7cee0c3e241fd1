import pytest

from evaluator.judging.gate import PROMOTE, REJECT, Standing
from evaluator.judging.ladder import Ladder, LadderConfig
from evaluator.statistics.tally import Tally
from gobang.errors import InvalidConfig

CONFIG = LadderConfig(first=1000, step=1000, last=3000, games=20, patience=3)


def standing(points, verdict=REJECT, games=20):
    black = Tally(wins=points, draws=0, losses=10 - points) if points <= 10 else Tally(wins=10, draws=0, losses=0)
    white = Tally(wins=max(0, points - 10), draws=0, losses=20 - max(10, points))
    return Standing(verdict=verdict, by_colour=(black, white), games=games, log_likelihood_ratio=0.0)


def climb(ladder, candidate, strength):
    """A candidate that is never promoted and beats `strength` playouts, half as many points as rungs above."""
    ladder.gated(candidate, standing(9))
    while ladder.climber is not None:
        won = strength >= ladder.rung
        ladder.tried(ladder.rung, standing(20 if won else strength // 200, PROMOTE if won else REJECT))


def test_a_strong_candidate_climbs_as_far_as_it_can():
    ladder = Ladder(CONFIG)
    climb(ladder, 1, strength=2500)
    assert ladder.rung == 3000
    climb(ladder, 2, strength=900)
    assert ladder.rung == 3000
    climb(ladder, 3, strength=3000)
    assert ladder.rung is None


def test_above_the_last_rung_the_best_network_is_the_only_opponent():
    ladder = Ladder(CONFIG)
    climb(ladder, 1, strength=3000)
    ladder.gated(2, standing(15, PROMOTE))
    assert ladder.climber is None


def test_a_first_candidate_without_games_climbs():
    ladder = Ladder(CONFIG)
    ladder.gated(0, standing(0, PROMOTE, games=0))
    assert ladder.climber == 0


def test_it_stands_still_after_as_many_candidates_without_progress_as_it_has_patience():
    ladder = Ladder(CONFIG)
    counts = []
    for candidate in range(8):
        climb(ladder, candidate, strength=800)
        counts.append(ladder.standstills)
    assert counts == [0, 0, 0, 1, 1, 1, 2, 2]  # the first one made the most points so far


def test_every_kind_of_progress_ends_the_wait():
    ladder = Ladder(CONFIG)
    climb(ladder, 0, strength=800)
    climb(ladder, 1, strength=800)
    for candidate, strength in ((2, 1000), (3, 1400), (4, 1600)):  # a rung won, more points than before
        climb(ladder, candidate, strength)
        assert ladder.without_progress == 0
    climb(ladder, 5, strength=1600)
    assert ladder.without_progress == 1
    ladder.gated(6, standing(15, PROMOTE))
    ladder.tried(2000, standing(0))
    assert (ladder.without_progress, ladder.standstills) == (0, 0)


def test_points_are_compared_at_one_rung_only():
    ladder = Ladder(CONFIG)
    for candidate, points in ((1, 19), (2, 20), (3, 3)):
        ladder.gated(candidate, standing(9))
        verdict = PROMOTE if points == 20 else REJECT
        ladder.tried(ladder.rung, standing(points, verdict))
    assert ladder.without_progress == 0  # the first three points at the second rung


def test_above_the_last_rung_only_a_promotion_is_progress():
    ladder = Ladder(CONFIG)
    climb(ladder, 1, strength=3000)
    for candidate in range(2, 5):
        ladder.gated(candidate, standing(10))
    assert ladder.standstills == 1
    ladder.gated(5, standing(10))
    ladder.gated(6, standing(15, PROMOTE))
    assert ladder.without_progress == 0


def test_a_climber_that_gives_up_counts_for_nothing():
    ladder = Ladder(CONFIG)
    ladder.gated(1, standing(9))
    ladder.give_up()
    assert (ladder.climber, ladder.without_progress, ladder.rung) == (None, 0, 1000)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"first": 0}, "first 0"), ({"last": 10}, "last 10"), ({"games": 3}, "games 3"), ({"step": 0}, "step 0")],
)
def test_a_ladder_that_cannot_be_is_refused(wrong, message):
    with pytest.raises(InvalidConfig, match=message):
        LadderConfig(**wrong)
