from __future__ import annotations

from dataclasses import replace

from gobang.evaluators.null import NullEvaluator
from gobang.types import Variant
from learner.paper.check import Check, hold_check, rung_after, simulations_after
from tests.learner.paper.small import SMALL


def checks(*won: bool) -> list[Check]:
    return [
        Check(iteration=50 * number, playouts=1000, points=5, games=10, is_won=each) for number, each in enumerate(won)
    ]


def test_a_rung_that_is_beaten_is_followed_by_the_next() -> None:
    assert rung_after([]) == 1000
    assert rung_after(checks(False, True, False, True)) == 3000


def test_simulations_grow_only_where_a_run_is_stuck() -> None:
    config = replace(SMALL, simulations=100, growth=1.5)
    assert simulations_after(config, checks(False, False, False)) == 100
    assert simulations_after(config, checks(True, False, False, False, False)) == 150
    assert simulations_after(config, checks(*[False] * 8)) == 225
    assert simulations_after(config, checks(*[False] * 8, True)) == 100
    assert simulations_after(replace(config, growth=1.0), checks(*[False] * 8)) == 100


def test_a_check_is_ten_games_that_the_seed_decides() -> None:
    evaluator = NullEvaluator(SMALL.game)
    one, same = (hold_check(SMALL, evaluator, 50, 20) for _ in range(2))
    assert one == same
    assert one.games == 10
    assert 0 <= one.points <= 10


def test_the_share_that_beats_a_rung_is_the_works() -> None:
    config = replace(SMALL, game=Variant.square(3, k=3, players=3), percent=1)
    evaluator = NullEvaluator(config.game)
    assert hold_check(config, evaluator, 50, 2).is_won
    assert not hold_check(replace(config, percent=100), evaluator, 50, 2).is_won
