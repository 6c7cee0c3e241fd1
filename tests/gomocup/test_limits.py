import pytest

from gobang.gomocup.limits import LEAST_SECONDS, Limits
from gobang.players.gomocup_text import NO_MATCH_LIMIT


def seconds(limits: Limits, stones: int = 0, points: int = 225, elapsed: float = 0.0) -> float | None:
    allowed = limits.for_move(stones=stones, points=points, elapsed=elapsed)
    return allowed.seconds if allowed else None


def most_seconds(limits: Limits, stones: int = 0, points: int = 225) -> float:
    allowed = limits.for_move(stones=stones, points=points, elapsed=0.0)
    assert allowed
    assert allowed.most_seconds is not None
    return allowed.most_seconds


def test_nothing_said_is_no_limit() -> None:
    limits = Limits()
    limits.set_left(NO_MATCH_LIMIT)
    limits.set_match(0)
    assert seconds(limits) is None


@pytest.mark.parametrize(
    ("turn_ms", "expected"), [(100, 0.090), (30_000, 28.5), (0, LEAST_SECONDS), (-5, LEAST_SECONDS)]
)
def test_turn_leaves_a_margin(turn_ms: int, expected: float) -> None:
    limits = Limits()
    limits.set_turn(turn_ms)
    assert seconds(limits) == pytest.approx(expected)


def test_time_since_the_command_counts() -> None:
    limits = Limits(turn_ms=100)
    assert seconds(limits, elapsed=0.05) == pytest.approx(0.04)
    assert seconds(limits, elapsed=5) == LEAST_SECONDS


def test_rest_of_the_match_is_shared_among_the_moves_ahead() -> None:
    limits = Limits(turn_ms=60_000, left_ms=35_000)
    assert seconds(limits, stones=0) == pytest.approx(0.95)
    assert seconds(limits, stones=150) == pytest.approx(3.5 * 0.95)
    assert seconds(limits, stones=224) == pytest.approx(35 * 0.95)


def test_match_time_never_runs_out_before_the_board_is_full() -> None:
    limits = Limits(left_ms=60_000)
    for stones in range(0, 400, 2):
        limits.spend(most_seconds(limits, stones=stones, points=400))
    assert limits.left_ms is not None
    assert limits.left_ms > 0


def test_a_move_in_doubt_may_take_more_of_the_match_but_not_of_the_turn() -> None:
    assert most_seconds(Limits(left_ms=35_000)) == pytest.approx(1.6 * 0.95)
    assert most_seconds(Limits(left_ms=35_000), stones=150) == pytest.approx(3.5 * 0.95)
    assert most_seconds(Limits(left_ms=30_000), stones=6, points=12) == pytest.approx(15 * 0.95)
    assert most_seconds(Limits(turn_ms=1500, left_ms=35_000)) == pytest.approx(1.5 * 0.95)


@pytest.mark.parametrize("limits", [Limits(turn_ms=1500), Limits(turn_ms=1500, left_ms=52_500)])
def test_a_turn_is_used_up_where_saved_time_is_worth_nothing(limits: Limits) -> None:
    allowed = limits.for_move(stones=0, points=225, elapsed=0.0)
    assert allowed
    assert (allowed.seconds, allowed.most_seconds) == (pytest.approx(1.5 * 0.95), None)


def test_a_new_match_has_its_whole_time_again() -> None:
    limits = Limits()
    limits.set_match(8000)
    limits.spend(3)
    assert limits.left_ms == 5000
    limits.set_left(-20)
    assert limits.left_ms == 0
    limits.new_match()
    assert limits.left_ms == 8000
