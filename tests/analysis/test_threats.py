from gobang.analysis.threats import Threats, find_threats
from gobang.rules.position import Position, parse_point, point_name
from gobang.types import UNDECIDED, Variant

VARIANT = Variant.square(15)


def position(*names: str) -> Position:
    return Position(VARIANT, [parse_point(VARIANT, name) for name in names])


def names(points: tuple[int, ...]) -> list[str]:
    return [point_name(VARIANT, point) for point in points]


def test_nothing_is_claimed_of_a_quiet_position() -> None:
    assert find_threats(position("h8", "i9")) == Threats()


def test_a_four_must_be_blocked() -> None:
    found = find_threats(position("e8", "d8", "f8", "o1", "g8", "o3", "h8"))
    assert found.forced is not None
    assert names((found.forced,)) == ["i8"]


def test_an_open_four_is_lost() -> None:
    assert find_threats(position("e8", "o5", "f8", "o1", "g8", "o3", "h8")).is_lost


def test_an_open_three_menaces() -> None:
    found = find_threats(position("e8", "o5", "f8", "o1", "g8"))
    assert names(found.menace)[0] in ("d8", "h8")


def test_a_win_by_fours_is_shown_until_it_cannot_be_blocked() -> None:
    start = position("f8", "e8", "g8", "o1", "h8", "o3", "j5", "o5", "j6", "o7", "j7", "j4")
    line = find_threats(start).win
    for point in line:
        assert start.outcome == UNDECIDED
        start.play(point)
    assert len(line) % 2 == 1
    assert find_threats(start).is_lost
