import math

import pytest

from gobang.errors import InvalidConfig
from learner.watching.budget import Budget


def test_the_first_limit_that_is_met_ends_the_run():
    budget = Budget(minutes=1, games=50)
    assert not budget.is_spent({"seconds": 59.0, "games": 49})
    assert budget.is_spent({"seconds": 60.0, "games": 0})
    assert budget.is_spent({"seconds": 0.0, "games": 50})
    assert not Budget().is_spent({"seconds": 1e9, "games": 10**9, "step": 10**9})


def test_the_time_left_is_that_of_the_nearest_limit():
    budget = Budget(minutes=10, games=1000, steps=10)
    values = {"seconds": 100.0, "games": 400, "games_per_s": 2.0, "step": 3, "steps_per_s": 0.0}
    assert budget.seconds_left(values) == 300
    assert math.isnan(Budget(steps=10).seconds_left(values))


@pytest.mark.parametrize("limit", [{"minutes": 0.0}, {"games": -1}, {"steps": 0}, {"minutes": math.inf}])
def test_empty_budgets_are_refused(limit):
    with pytest.raises(InvalidConfig, match="above 0 and finite"):
        Budget(**limit)
