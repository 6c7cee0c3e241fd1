from collections import Counter

import pytest

from evaluator.truth.solved import POSITIONS, SEED, draw_solved, format_solved, has_solved, load_solved, parse_solved
from gobang.errors import Unsolved
from gobang.rules.position import Position, symmetry_class
from gobang.search.proof.exact import DRAWN, WON, ExactSolver
from gobang.types import UNDECIDED, Variant

SOLVED = [Variant.square(5, k=4), Variant.square(6, k=4)]


@pytest.mark.parametrize("variant", SOLVED, ids=str)
def test_stored_positions_are_different_and_undecided_and_their_moves_matter(variant):
    stored = load_solved(variant)
    positions = [Position(variant, solved.moves) for solved in stored]
    assert len({symmetry_class(position) for position in positions}) == len(stored) == POSITIONS
    assert all(position.outcome == UNDECIDED for position in positions)
    assert all(0 < solved.random_share < 1 for solved in stored)
    assert Counter(solved.value for solved in stored).keys() == {WON, DRAWN}


@pytest.mark.parametrize("variant", SOLVED, ids=str)
def test_a_sample_of_them_is_solved_again(variant):
    solver = ExactSolver(variant)
    for solved in load_solved(variant)[::25]:
        assert (solver.move_values(Position(variant, solved.moves)) == solved.values).all()


@pytest.mark.parametrize("variant", SOLVED, ids=str)
def test_the_seed_decides_what_is_drawn(variant):
    drawn = draw_solved(variant, 10, SEED)
    assert format_solved(variant, drawn, SEED) == format_solved(variant, load_solved(variant)[:10], SEED)
    assert [other.moves for other in draw_solved(variant, 2, SEED + 1)] != [solved.moves for solved in drawn[:2]]


def test_a_file_is_read_as_it_was_written():
    text = "# 3x3\na1 b2    .WDL.WDLW\n"
    (solved,) = parse_solved(Variant.square(3, k=3), text)
    assert (solved.moves, solved.value, solved.to_move, solved.random_share) == ((0, 4), WON, 0, 3 / 7)
    assert format_solved(Variant.square(3, k=3), [solved], 1).splitlines()[2] == text.splitlines()[1]


def test_a_game_without_solved_positions_names_those_with():
    assert not has_solved(Variant.square(5, k=4, rule="standard"))
    with pytest.raises(Unsolved, match="8x8, 5 in a row, freestyle: there are solved positions of 5x5 and 6x6"):
        load_solved(Variant.square(8))
