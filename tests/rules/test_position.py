"""One game in Python: errors that name the point, taking back, setting up, drawing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gobang.errors import IllegalMove
from gobang.rules.position import Position, as_batch, draw_board, parse_point, point_name
from gobang.types import NO_MOVE, UNDECIDED, Variant
from tests.rules.games import random_moves, variants

THREE = Variant.square(3, k=3)


def played(text: str, variant: Variant) -> Position:
    """The position after moves such as "a1 b2"."""
    return Position(variant, [parse_point(variant, name) for name in text.split()])


def state_of(position: Position) -> tuple[object, ...]:
    """Everything that can be seen of a position."""
    legal = position.legal().tobytes()
    return position.cells.tobytes(), tuple(position.moves), position.to_move, position.outcome, position.key, legal


@pytest.mark.parametrize(
    ("moves", "point", "message"),
    [
        ("a1", 0, "a1 is occupied"),
        ("", 9, "point 9 is not on a 3x3 board"),
        ("", -1, "point -1 is not on a 3x3 board"),
        ("a1 a2 b1 b2 c1", 8, "c3 cannot be played: the game is over"),
    ],
)
def test_illegal_moves_name_the_point_and_change_nothing(moves: str, point: int, message: str) -> None:
    position = played(moves, THREE)
    before = state_of(position)
    with pytest.raises(IllegalMove, match=f"^{message}$"):
        position.play(point)
    assert state_of(position) == before


@pytest.mark.parametrize(
    ("black", "reason"),
    [("f8 g8 h7 h6", "double three"), ("e8 f8 g8 h7 h6 h5", "double four"), ("e8 f8 g8 i8 j8", "overline")],
)
def test_forbidden_moves_name_the_reason(black: str, reason: str) -> None:
    variant = Variant(rule="renju")
    stones = [parse_point(variant, name) for name in black.split()]
    position = Position.from_stones(variant, [stones, []], to_move=0)
    with pytest.raises(IllegalMove, match=f"^h8 is forbidden for black: {reason}$"):
        position.play(parse_point(variant, "h8"))
    Position.from_stones(variant, [stones, []], to_move=1).play(parse_point(variant, "h8"))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(variants(), st.integers(0, 10**9))
def test_undo_restores_everything(variant: Variant, seed: int) -> None:
    position, states = Position(variant), []
    for point in random_moves(position, seed):
        states.append(state_of(position))
        position.play(point)
    while states:
        last = position.last_move
        assert position.undo() == last
        assert state_of(position) == states.pop()
    with pytest.raises(IllegalMove, match="no move to take back"):
        position.undo()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(variants(), st.integers(0, 10**9))
def test_stones_set_up_in_order_are_the_game_that_was_played(variant: Variant, seed: int) -> None:
    position = Position(variant)
    for point in random_moves(position, seed):
        position.play(point)
    stones = [position.moves[player :: variant.players] for player in range(variant.players)]
    assert state_of(Position.from_stones(variant, stones, position.to_move)) == state_of(position)


def test_stones_in_excess_come_first() -> None:
    position = Position.from_stones(Variant.square(8), [[0, 1, 2, 3], [10]], to_move=0)
    assert position.moves == [0, 1, 2, 3, 10]
    position.undo()
    assert position.to_move == 1


@pytest.mark.parametrize("stones", [[[1]], [[1], [2], [3]]])
def test_stones_of_the_wrong_number_of_players_are_refused(stones: list[list[int]]) -> None:
    with pytest.raises(IllegalMove, match=f"stones of {len(stones)} players"):
        Position.from_stones(THREE, stones, to_move=0)
    with pytest.raises(IllegalMove, match="player 2 to move"):
        Position.from_stones(THREE, [[], []], to_move=2)


@pytest.mark.parametrize("points", [[[4], [4]], [[4, 4], []], [[9], []]])
def test_stones_that_do_not_fit_are_refused(points: list[list[int]]) -> None:
    with pytest.raises(IllegalMove, match=r"b2 is occupied|point 9 is not on a 3x3 board"):
        Position.from_stones(THREE, points, to_move=0)


def test_a_copy_is_independent() -> None:
    position = played("a1 b2", THREE)
    before = state_of(position)
    position.copy().play(8)
    assert state_of(position) == before


def test_names_and_points() -> None:
    variant = Variant(height=5, width=22, k=5)
    for point in range(variant.points):
        assert parse_point(variant, point_name(variant, point)) == point
    assert point_name(Variant.square(8), 56) == "a8"
    assert parse_point(Variant.square(8), "H1") == 7


@pytest.mark.parametrize("name", ["", "a", "1a", "d1", "a0", "a4", "a-1", "a1.5", "aa1"])
def test_bad_names_are_quoted(name: str) -> None:
    with pytest.raises(IllegalMove, match=f"^'{name}'"):
        parse_point(THREE, name)


def test_batch_holds_what_the_positions_hold() -> None:
    positions = [Position(THREE), played("b2 a1 c3", THREE)]
    batch = as_batch(positions)
    assert len(batch) == 2
    assert batch.cells.tolist() == [[0] * 9, [2, 0, 0, 0, 1, 0, 0, 0, 1]]
    assert batch.to_move.tolist() == [0, 1]
    assert batch.last_moves.tolist() == [[NO_MOVE], [8]]
    assert batch.key.tolist() == [position.key for position in positions]
    assert (batch.cells.dtype, batch.last_moves.dtype, batch.key.dtype) == (np.int8, np.int16, np.uint64)


def test_drawing() -> None:
    position = played("b2 a1 c3", THREE)
    assert draw_board(position) == " 3  .  . [X]\n 2  .  X  .\n 1  O  .  .\n    a  b  c"
    assert position.outcome == UNDECIDED
