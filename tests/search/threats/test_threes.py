"""Victory by continuous threats in known positions."""

from __future__ import annotations

import pytest

from gobang.errors import Unsolved
from gobang.rules.position import Position, parse_point
from gobang.search.threats.threes import ThreesSolver
from gobang.types import NO_MOVE, Variant
from tests.search.threats.replays import Replay

FREE = Variant.square(15)
RENJU = Variant.square(15, rule="renju")
NODES = 20_000

# fmt: off
WON = [
    ("two threes", FREE, ["h9 h10 i8 j8", "a1 e1 i1 m1"], 0),
    ("two threes, one of them split", FREE, ["h9 h11 i8 k8", "a1 e1 i1 m1"], 0),
    ("the defender has a four, but behind it nothing", FREE, ["h9 h10 i8 j8 b3", "c3 d3 e3 o1"], 0),
    ("a four gains the stone for two threes", FREE, ["h9 h10 i8 e8 e7 e6", "e5 a1 e1 i1 m1 o5"], 0),
    ("white makes two threes in renju", RENJU, ["a1 e1 i1 m1 o5", "h9 h10 i8 j8"], 1),
]
OPEN = [
    ("an empty board", FREE, ["", ""], 0),
    ("one three", FREE, ["h9 h10", "a1 e1"], 0),
    ("the defender wins first", FREE, ["h9 h10 i8 j8", "a1 c1 e1 g1"], 0),
]
DEEP = (FREE, ["g4 i4 h5 i5", "c3 g5 i6 g7"], 0)  # the worked example
# fmt: on


def position_of(variant: Variant, stones: list[str], to_move: int) -> Position:
    placed = [[parse_point(variant, name) for name in names.split()] for names in stones]
    return Position.from_stones(variant, placed, to_move)


@pytest.mark.parametrize(("variant", "stones", "to_move"), [each[1:] for each in WON], ids=[each[0] for each in WON])
def test_wins_are_found_and_hold_against_every_reply(variant: Variant, stones: list[str], to_move: int) -> None:
    assert Replay(variant).claims(position_of(variant, stones, to_move), NODES)


@pytest.mark.parametrize(("variant", "stones", "to_move"), [each[1:] for each in OPEN], ids=[each[0] for each in OPEN])
def test_nothing_is_claimed_without_a_proof(variant: Variant, stones: list[str], to_move: int) -> None:
    assert ThreesSolver(variant).winning_move(position_of(variant, stones, to_move), NODES) == NO_MOVE


def test_a_proof_is_remembered_and_a_limit_is_no_answer() -> None:
    position, solver = position_of(*WON[3][1:]), ThreesSolver(FREE)
    assert solver.winning_move(position, 2) == NO_MOVE
    move = solver.winning_move(position, NODES)
    assert solver.winning_move(position, 2) == move != NO_MOVE


def test_the_side_to_move_is_part_of_what_is_remembered() -> None:
    solver = ThreesSolver(FREE)
    attack = position_of(*WON[0][1:])
    assert solver.winning_move(attack, NODES) != NO_MOVE
    other = position_of(FREE, WON[0][2], 1)
    assert solver.winning_move(other, NODES) == NO_MOVE


def test_what_is_deep_is_not_found_by_few_plies_nor_with_a_table_that_forgets_at_once() -> None:
    position = position_of(*DEEP)
    solver = ThreesSolver(FREE, rows=1 << 12)
    assert ThreesSolver(FREE, plies=2).winning_move(position, NODES) == NO_MOVE
    assert ThreesSolver(FREE, rows=2).winning_move(position, NODES) == NO_MOVE
    assert solver.winning_move(position, NODES) == ThreesSolver(FREE).winning_move(position, NODES) != NO_MOVE
    assert 0 < solver.nodes < NODES


def test_threats_are_for_two_players() -> None:
    with pytest.raises(Unsolved, match="two players"):
        ThreesSolver(Variant.square(9, players=3))
