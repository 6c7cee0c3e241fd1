from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gobang.errors import Unsolved
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.proof.exact import DRAWN, LOST, NO_VALUE, WON, ExactSolver
from gobang.types import UNDECIDED, Variant
from tests.search.brute_force import forces_win, random_positions

TIC_TAC_TOE = Variant.square(3, k=3)
FOUR_ON_5X5 = Variant.square(5, k=4)
FOUR_ON_6X6 = Variant.square(6, k=4)


@cache
def plain_value(moves: frozenset[int], replies: frozenset[int]) -> int:
    """Of tic-tac-toe, for the side that made `moves` and is to move."""
    if any(set(row) <= replies for row in ROWS):
        return LOST
    free = set(range(9)) - moves - replies
    return max((-plain_value(replies, moves | {point}) for point in free), default=DRAWN)


ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def test_every_position_of_tic_tac_toe() -> None:
    solver = ExactSolver(TIC_TAC_TOE)
    seen: set[object] = set()

    def compare(position: Position) -> None:
        mine, theirs = (frozenset(np.flatnonzero(position.cells == stone).tolist()) for stone in (1, 2))
        if position.to_move == 1:
            mine, theirs = theirs, mine
        if (mine, theirs) in seen:
            return
        seen.add((mine, theirs))
        assert solver.value(position) == plain_value(mine, theirs), str(position)
        for point in np.flatnonzero(position.legal()).tolist():
            position.play(point)
            compare(position)
            position.undo()

    compare(Position(TIC_TAC_TOE))
    assert len(seen) == 5478


@pytest.mark.parametrize("variant", [FOUR_ON_5X5, FOUR_ON_6X6, Variant(height=4, width=7, k=4)], ids=str)
def test_late_positions_against_trying_everything(variant: Variant) -> None:
    solver, table = ExactSolver(variant), geometry(variant)
    cells, to_move = random_positions(variant, 300, np.random.default_rng(1), empty=(2, 9))
    values = []
    for board, mover in zip(cells, to_move.tolist(), strict=True):
        stones = [np.flatnonzero(board == stone).tolist() for stone in (1, 2)]
        values.append(solver.value(Position.from_stones(variant, stones, mover)))
        wins, loses = (forces_win(table, board, mover, player) for player in (mover, 1 - mover))
        assert values[-1] == (WON if wins else LOST if loses else DRAWN), board.reshape(variant.height, -1)
    assert set(values) == {WON, DRAWN, LOST}


def test_5x5_four_in_a_row_is_a_draw_after_any_first_move() -> None:
    assert set(ExactSolver(FOUR_ON_5X5).move_values(Position(FOUR_ON_5X5)).tolist()) == {DRAWN}


def test_6x6_four_in_a_row_is_won_by_the_inner_first_moves_alone() -> None:
    values = ExactSolver(FOUR_ON_6X6).move_values(Position(FOUR_ON_6X6)).reshape(6, 6)
    assert (values[1:-1, 1:-1] == WON).all()
    assert np.count_nonzero(values == LOST) == 20


def test_occupied_points_and_finished_games_have_no_moves() -> None:
    position = Position(TIC_TAC_TOE, [0, 3, 1, 4])
    assert ExactSolver(TIC_TAC_TOE).move_values(position).tolist()[:5] == [NO_VALUE, NO_VALUE, WON, NO_VALUE, NO_VALUE]
    position.play(2)
    assert position.outcome != UNDECIDED
    assert ExactSolver(TIC_TAC_TOE).value(position) == LOST


def test_stones_need_not_alternate() -> None:
    solver = ExactSolver(FOUR_ON_5X5)
    for to_move, value in ((0, WON), (1, LOST)):
        position = Position.from_stones(FOUR_ON_5X5, [[6, 7], [0]], to_move)
        assert solver.value(position) == value


def test_effort_does_not_depend_on_what_was_solved_before() -> None:
    solver, position = ExactSolver(FOUR_ON_5X5), Position(FOUR_ON_5X5, [12, 6, 18])
    before = solver.effort(position)
    solver.move_values(position)
    assert solver.effort(position) == before > 1


@pytest.mark.parametrize(
    "variant", [Variant.square(7, k=4), Variant.square(5, k=4, rule="standard"), Variant.square(5, k=4, players=3)]
)
def test_what_is_out_of_reach_is_refused(variant: Variant) -> None:
    with pytest.raises(Unsolved, match=str(variant)):
        ExactSolver(variant)


def test_a_search_that_grows_too_large_is_given_up() -> None:
    with pytest.raises(Unsolved, match="not solved after"):
        ExactSolver(FOUR_ON_6X6, most_nodes=1000).value(Position(FOUR_ON_6X6, [0]))


def test_a_position_stays_as_it_was_when_a_move_is_given_up() -> None:
    solver, position = ExactSolver(FOUR_ON_6X6, most_nodes=1000), Position(FOUR_ON_6X6, [0])
    with pytest.raises(Unsolved):
        solver.move_values(position)
    assert position.moves == [0]
