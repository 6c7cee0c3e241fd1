import numpy as np
import pytest

from gobang.errors import InvalidConfig
from learner.replay.pool.limiter import Limiter, LimiterConfig

FOUR = Limiter(
    LimiterConfig(samples_per_position=4, early_samples_per_position=8, early_positions=1000, minimum=100, tolerance=50)
)


def test_nothing_is_sampled_before_the_minimum_and_nobody_waits_for_it() -> None:
    assert not FOUR.may_sample(99, 0, 1)
    assert FOUR.may_insert(99, 0)
    assert FOUR.may_sample(100, 0, 1)


def test_early_positions_are_due_more_often() -> None:
    assert [FOUR.due(inserted) for inserted in (0, 100, 200, 1000, 1100)] == [0, 0, 800, 7200, 7600]


def test_each_side_waits_at_its_end_of_the_tolerance() -> None:
    assert FOUR.may_insert(200, 800 - 50 * 8)
    assert not FOUR.may_insert(200, 800 - 50 * 8 - 1)
    assert FOUR.may_sample(200, 800, 50 * 8)
    assert not FOUR.may_sample(200, 800, 50 * 8 + 1)


@pytest.mark.parametrize("seed", range(5))
def test_two_sides_that_come_and_go_keep_to_the_target_and_never_both_wait(seed: int) -> None:
    random = np.random.default_rng(seed)
    inserted = sampled = 0
    for _ in range(5000):
        may_insert, may_sample = FOUR.may_insert(inserted, sampled), FOUR.may_sample(inserted, sampled, 64)
        assert may_insert or may_sample
        if may_sample and (not may_insert or random.random() < 0.5):
            sampled += 64
        elif may_insert:
            inserted += int(random.integers(1, 40))
    assert abs(sampled - FOUR.due(inserted)) <= 50 * 4 + 40 * 4


def test_a_batch_beyond_the_tolerance_is_refused_at_the_start() -> None:
    FOUR.check_batch(400)
    with pytest.raises(InvalidConfig, match="tolerance 50: too little for batches of 401"):
        FOUR.check_batch(401)


@pytest.mark.parametrize(
    ("name", "value"),
    [("samples_per_position", 0.0), ("early_samples_per_position", np.inf), ("minimum", 0), ("tolerance", 0)],
)
def test_values_out_of_range_are_named(name: str, value: float) -> None:
    with pytest.raises(InvalidConfig, match=f"{name} {value}"):
        LimiterConfig(**{name: value})
