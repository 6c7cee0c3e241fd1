import pytest

from gobang.errors import InvalidConfig
from learner.run.playouts import PlayoutSchedule

GROWING = PlayoutSchedule(steps=((0, 16), (1000, 32), (5000, 64)), growth=2.0, most=200)


def after(schedule, positions=0, minutes=0.0, standstills=0):
    return schedule.simulations(positions=positions, minutes=minutes, standstills=standstills)


@pytest.mark.parametrize(("positions", "simulations"), [(0, 16), (999, 16), (1000, 32), (4999, 32), (10**9, 64)])
def test_simulations_grow_by_schedule(positions, simulations):
    assert after(GROWING, positions, minutes=7000) == simulations


def test_the_schedule_may_go_by_minutes():
    schedule = PlayoutSchedule(steps=((0, 16), (10, 32)), unit="minutes")
    assert [after(schedule, 10**6, minutes) for minutes in (0, 9.9, 10.0)] == [16, 16, 32]


def test_each_standstill_multiplies_them_up_to_the_cap():
    assert [after(GROWING, 1000, standstills=count) for count in (0, 1, 2, 3, 10**6)] == [32, 64, 128, 200, 200]


def test_growth_of_one_leaves_it_to_the_schedule():
    assert after(PlayoutSchedule(steps=((0, 16),), growth=1.0), standstills=9) == 16


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": ()}, "begins at 0"),
        ({"steps": ((5, 16),)}, "begins at 0"),
        ({"steps": ((0, 16), (0, 32))}, "does not rise"),
        ({"steps": ((0, 16), (10, 8))}, "does not rise"),
        ({"steps": ((0, 0),)}, "from 1"),
        ({"unit": "hours"}, "hours"),
        ({"growth": 0.5}, "growth 0.5"),
        ({"steps": ((0, 2000),)}, "most 1600"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(wrong, message):
    with pytest.raises(InvalidConfig, match=message):
        PlayoutSchedule(**wrong)
