import numpy as np
import pytest

from gobang.errors import InvalidConfig
from gobang.openings import (
    balanced_openings,
    chosen_openings,
    drawn_openings,
    format_openings,
    has_balanced,
    near_move,
    parse_openings,
    random_openings,
)
from gobang.rules.position import Position, symmetry_class
from gobang.rules.symmetry import symmetries
from gobang.types import UNDECIDED, Variant


def classes(variant, openings):
    table = symmetries(variant.height, variant.width)
    cells = [Position(variant, opening).cells for opening in openings]
    return {min(board[image].tobytes() for image in table) for board in cells}


@pytest.mark.parametrize(
    ("variant", "plies"), [(Variant.square(8), 2), (Variant(height=6, width=5, k=4), 3), (Variant(rule="renju"), 5)]
)
def test_openings_differ_under_symmetry(variant, plies):
    openings = random_openings(variant, plies, 100, seed=1)
    assert {len(opening) for opening in openings} == {plies}
    assert len(classes(variant, openings)) == 100


def test_the_seed_decides():
    variant = Variant.square(8)
    assert random_openings(variant, 2, 10, seed=3) == random_openings(variant, 2, 10, seed=3)
    assert random_openings(variant, 2, 10, seed=3) != random_openings(variant, 2, 10, seed=4)


def test_nobody_has_won_or_can_win_at_once():
    variant = Variant.square(5, k=3)
    for opening in random_openings(variant, 6, 40, seed=1):
        position = Position(variant, opening)
        assert position.outcome == UNDECIDED
        for point in np.flatnonzero(position.legal()):
            position.play(int(point))
            assert position.outcome in (UNDECIDED, variant.draw)
            position.undo()


def test_openings_repeat_only_when_there_are_no_more():
    variant = Variant.square(3, k=3)  # one stone: three classes, nine positions
    openings = random_openings(variant, 1, 12, seed=1)
    assert len(classes(variant, openings[:3])) == 3
    assert len(set(openings[:9])) == 9
    assert openings[9:] == openings[:3]


def test_without_plies_every_game_starts_on_the_empty_board():
    assert random_openings(Variant.square(8), 0, 3, seed=1) == [(), (), ()]


@pytest.mark.parametrize("plies", [-1, 25])
def test_impossible_plies_are_refused(plies):
    with pytest.raises(InvalidConfig, match=f"opening of {plies} plies"):
        random_openings(Variant.square(5), plies, 1, seed=1)


def test_no_open_position_is_an_error():
    with pytest.raises(InvalidConfig, match="none found"):
        random_openings(Variant.square(22, k=3), 400, 1, seed=1)


BOARD = Variant.square(8)
OPENINGS = [(27, 36, 28), (0, 9), (1, 2, 3, 4)]
IN_THE_PACKAGE = [
    *(Variant.square(size, k=4) for size in (5, 6)),
    *(Variant.square(size) for size in (8, 11, 15, 20)),
    *(Variant.square(15, rule=rule) for rule in ("standard", "renju")),
]


def test_openings_are_the_same_after_their_text():
    text = format_openings(BOARD, OPENINGS, "by hand")
    assert text.startswith("# 8x8, 5 in a row, freestyle; made by hand\nd4 e5 e4\n")
    assert parse_openings(BOARD, text) == OPENINGS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1 b2\nz9", "line 2: 'z9'"),
        ("a1 a1", "line 1: a1 is occupied"),
        ("a1 a8 b1 b8 c1 c8 d1 d8 e1", "line 1: the game is over"),
        ("# nothing", "no openings"),
    ],
)
def test_a_text_that_cannot_be_played_is_refused(text, message):
    with pytest.raises(InvalidConfig, match=message):
        parse_openings(BOARD, text)


def test_all_openings_come_before_one_comes_again_in_another_view():
    drawn = drawn_openings(BOARD, OPENINGS, 24, seed=1)
    known = [symmetry_class(Position(BOARD, opening)) for opening in OPENINGS]
    rounds = [[symmetry_class(Position(BOARD, each)) for each in drawn[start : start + 3]] for start in range(0, 24, 3)]
    assert all(set(each) == set(known) for each in rounds)
    assert len(set(drawn)) == 24 - 4  # on the diagonal four of the eight views are the same
    assert drawn_openings(BOARD, OPENINGS, 24, seed=1) == drawn != drawn_openings(BOARD, OPENINGS, 24, seed=2)


def test_a_name_chooses_the_openings(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("c3 d4")
    assert chosen_openings(BOARD, "random", 3, 5, seed=1) == random_openings(BOARD, 3, 5, seed=1)
    assert chosen_openings(BOARD, "balanced", 3, 5, seed=1) == drawn_openings(
        BOARD, balanced_openings(BOARD), 5, seed=1
    )
    assert symmetry_class(Position(BOARD, (18, 27))) in {
        symmetry_class(Position(BOARD, each)) for each in chosen_openings(BOARD, str(path), 3, 2, seed=1)
    }


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidConfig, match="gobang openings"):
        chosen_openings(Variant.square(9), "balanced", 2, 1, seed=1)
    with pytest.raises(InvalidConfig, match="No such file"):
        chosen_openings(BOARD, str(tmp_path / "none"), 2, 1, seed=1)


@pytest.mark.parametrize("variant", IN_THE_PACKAGE, ids=str)
def test_the_openings_of_the_package_are_open_and_unlike_each_other(variant):
    assert has_balanced(variant)
    openings = balanced_openings(variant)
    assert 100 <= len(openings) <= 500
    assert {len(opening) for opening in openings} <= {2, 3, 4, 5, 6}
    assert len({symmetry_class(Position(variant, opening)) for opening in openings}) == len(openings)


@pytest.mark.parametrize(
    "variant", [Variant.square(15), Variant.square(15, rule="renju"), Variant(height=5, width=9)], ids=str
)
def test_near_moves_are_legal_and_stay_together(variant):
    generator = np.random.default_rng(1)
    for _ in range(50):
        position = Position(variant)
        first = divmod(near_move(position, generator), variant.width)
        assert abs(first[0] - variant.height // 2) <= 4
        assert abs(first[1] - variant.width // 2) <= 4
        while position.outcome == UNDECIDED and len(position.moves) < 12:
            move = near_move(position, generator)
            assert position.legal()[move]
            stones = [divmod(stone, variant.width) for stone in position.moves]
            row, column = divmod(move, variant.width)
            assert not stones or min(max(abs(row - y), abs(column - x)) for y, x in stones) <= 2
            position.play(move)
