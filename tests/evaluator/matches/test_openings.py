import numpy as np
import pytest

from evaluator.matches.openings import paired, random_openings
from gobang.errors import InvalidConfig
from gobang.rules.position import Position
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


def test_pairs_swap_the_colours():
    assert [(each.opening, each.seats) for each in paired([(1,), (2,)])] == [
        ((1,), (0, 1)),
        ((1,), (1, 0)),
        ((2,), (0, 1)),
        ((2,), (1, 0)),
    ]
