import pytest

from gobang.errors import InvalidConfig
from learner.replay.window.size import WindowConfig, window_size

CONFIG = WindowConfig(start=10_000, end=150_000)


def test_the_window_starts_grows_and_ends() -> None:
    sizes = [window_size(CONFIG, stored) for stored in range(0, 3_000_000, 1000)]
    assert sizes[:11] == [10_000] * 11
    assert sizes == sorted(sizes)
    assert sizes[-1] == 150_000


def test_growth_begins_with_the_slope_and_slackens() -> None:
    growth = window_size(CONFIG, 11_000) - 10_000
    assert growth == pytest.approx(0.4 * 1000, rel=0.02)
    assert window_size(CONFIG, 101_000) - window_size(CONFIG, 100_000) < growth


def test_a_full_power_is_a_straight_line() -> None:
    straight = WindowConfig(start=100, end=10_000, slope=0.5, exponent=1.0)
    assert [window_size(straight, stored) for stored in (100, 200, 300)] == [100, 150, 200]


@pytest.mark.parametrize(
    ("values", "message"),
    [({"start": 0}, "window 0"), ({"start": 5, "end": 4}, "window 5 to 4"), ({"slope": 2}, "slope 2")],
)
def test_values_out_of_range_are_named(values: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        WindowConfig(**values)
