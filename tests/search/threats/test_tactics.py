"""The tactical solver on known positions, and its wins by continuous fours played out."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point, point_name
from gobang.search.threats.tactical_positions import tactical_positions
from gobang.search.threats.tactics import FORCED, LOSS, NOTHING, WIN, solve, solve_many, tactics_workspace
from gobang.types import NO_MOVE, UNDECIDED, Variant
from tests.search.plain_fours import finds_win, fives

NAMES = {NOTHING: "nothing", WIN: "win", LOSS: "loss", FORCED: "forced"}
FREE = Variant.square(15)
EXACT = Variant.square(15, rule="standard")
RENJU = Variant.square(15, rule="renju")
THREE = Variant.square(9, k=5, players=3)


def verdict(variant: Variant, stones: list[str], to_move: int, limit: int = 1000) -> str:
    """The verdict on stones such as ["h8 h9", "a1"], e.g. "win h10"."""
    placed = [[parse_point(variant, name) for name in names.split()] for names in stones]
    position = Position.from_stones(variant, placed, to_move)
    return solved(position, limit)


def solved(position: Position, limit: int = 1000) -> str:
    before = position.cells.copy()
    workspace = tactics_workspace(position.variant, 1000)
    result, point, nodes = solve(geometry(position.variant), workspace, position.cells, position.to_move, limit)
    assert nodes <= limit
    assert (position.cells == before).all()
    assert (point == NO_MOVE) == (result in (NOTHING, LOSS))
    return NAMES[result] if point == NO_MOVE else f"{NAMES[result]} {point_name(position.variant, point)}"


# fmt: off
KNOWN = [
    ("an empty board", FREE, ["", ""], 0, "nothing"),
    ("a four with one end", FREE, ["c3 d3 e3 f3", "b3 a1 a2 o9"], 0, "win g3"),
    ("a four with a hole", FREE, ["c3 d3 f3 g3", "a9 c9 e9"], 0, "win e3"),
    ("six in a row wins freestyle", FREE, ["c3 d3 e3 g3 h3", "a9 c9 e9 g9"], 0, "win f3"),
    ("six in a row is none of exactly five", EXACT, ["c3 d3 e3 g3 h3", "a9 c9 e9 g9 b3"], 0, "nothing"),
    ("an exact four beside an own stone", EXACT, ["a3 c3 d3 e3 f3", "g3 c9 e9 g9"], 0, "nothing"),
    ("their four", FREE, ["a9 c9 e9 g9", "c3 d3 e3 f3 "], 0, "loss"),
    ("their four with one end", FREE, ["b3 c9 e9 g9", "c3 d3 e3 f3"], 0, "forced g3"),
    ("their two fours on one point", FREE, ["b3 f2 a9 c9 o15 o13", "c3 d3 e3 f3 g4 g5 g6 g7"], 0, "loss"),
    ("an open three", FREE, ["g8 h8 i8", "a1 c1 e1"], 0, "win j8"),
    ("their open three proves nothing", FREE, ["a1 c1 e1", "g8 h8 i8"], 0, "nothing"),
    ("double four", FREE, ["c8 d8 e8 b8 h3 h4 h5", "a8 h2 o1 o3 o5 o7 o9"], 0, "win f8"),
    ("a block that wins", FREE, ["a2 f5 f6 f8", "b3 c4 d5 e6"], 0, "win f7"),
    ("renju: double four is forbidden", RENJU, ["c8 d8 e8 f5 f6 f7", "b8 f4 o1 o3 o5 o7"], 0, "nothing"),
    ("white may make a double four", RENJU, ["b8 f4 o1 o3 o5 o7", "c8 d8 e8 f5 f6 f7"], 1, "win f8"),
    ("renju: black may not make six", RENJU, ["c3 d3 e3 g3 h3", "b3 c9 e9 g9"], 0, "nothing"),
    ("renju: white may make six", RENJU, ["a1 c9 e9 g9", "c3 d3 e3 g3 h3"], 1, "win f3"),
    ("renju: black's block would make six", RENJU, ["h3 h4 h5 h7 h8 e6 k6", "f6 g6 i6 j6"], 0, "loss"),
    ("renju: white's four asks for a six", RENJU, ["h3 h4 h5 h7 h8 e6 k6", "f6 g6 i6"], 1, "win j6"),
    ("renju: a four with two threes is forbidden", RENJU, ["c8 d8 e8 f6 f7 g9 h10", "b8 o1 o3 o5 o7"], 0, "nothing"),
    ("the same for white", RENJU, ["b8 o1 o3 o5 o7 o9", "c8 d8 e8 f6 f7 g9 h10"], 1, "win f8"),
    ("the six with exactly five for all", EXACT, ["h3 h4 h5 h7 h8 e6 k6", "f6 g6 i6"], 1, "nothing"),
    ("four and three", FREE, ["c8 d8 e8 f6 f7", "b8 o1 o3 o5 o7"], 0, "win f8"),
    ("the answer to a four makes two fours", FREE, ["c8 d8 e8 f6 f7", "b8 g5 g6 g7 o7"], 0, "nothing"),
    ("a counter-four costs the move", FREE, ["c8 d8 e8 f6 f7 g4", "b8 g5 g6 g7 o7"], 0, "nothing"),
    ("a counter-four blocked by a four", FREE, ["c8 d8 e8 f6 f7 g4 d6 e7", "b8 g5 g6 g7 o7"], 0, "win f8"),
    ("three players: a block", THREE, ["a1 c1 e1", "c5 d5 e5 f5", "b5 i1 i3 i5"], 0, "forced g5"),
    ("three players: the one after the next waits", THREE, ["a1 c1 e1", "i1 i3 i5", "c5 d5 e5 f5"], 0, "nothing"),
    ("three players: the next one wins", THREE, ["a1 c1 e1", "c5 d5 e5 f5", "i1 i3 i5 i7"], 0, "loss"),
    ("three players: no continuous fours", THREE, ["d5 e5 f5", "i1 i3 i6", "a9 c9 e9"], 0, "nothing"),
]
# fmt: on


@pytest.mark.parametrize(
    ("variant", "stones", "to_move", "expected"), [k[1:] for k in KNOWN], ids=[k[0] for k in KNOWN]
)
def test_known_positions(variant: Variant, stones: list[str], to_move: int, expected: str) -> None:
    assert verdict(variant, stones, to_move) == expected


# White's four asks for a six of black, but black has no other move left: a draw, not a win.
DRAWN = [
    ("OOOXOOO XXXOOOO OOXXOOX OXXXX.X XOXXXX.", "g5", "forced g5"),
    ("XOXOOXX XX.OO.O OOOXOXX XXOOOXX OX.XXXX OOOXOXO", "c2", "win f2"),  # two fours at c2
]


@pytest.mark.parametrize(("rows", "four", "expected"), DRAWN)
def test_a_four_that_leaves_black_no_move_draws(rows: str, four: str, expected: str) -> None:
    position = Position(Variant(height=len(rows.split()), width=7, rule="renju"))
    position.cells[:] = [".XO".index(mark) for mark in rows.replace(" ", "")]
    position.to_move = 1
    assert solved(position) == expected
    position.play(parse_point(position.variant, four))
    assert position.outcome == position.variant.draw


@pytest.mark.parametrize(("limit", "expected"), [(0, "nothing"), (1, "nothing"), (2, "win f8")])
def test_the_node_limit_is_kept(limit: int, expected: str) -> None:
    assert verdict(FREE, ["c8 d8 e8 f6 f7", "b8 o1 o3 o5 o7"], 0, limit) == expected


RANDOM = [
    Variant(height=6, width=9, k=4, rule="standard"),
    Variant.square(8),
    Variant.square(8, rule="standard"),
    Variant.square(9, rule="renju"),
    Variant.square(15),
]


def random_game_positions(variant: Variant, count: int) -> list[Position]:
    positions = []
    for cells, to_move in zip(*tactical_positions(variant, count, np.random.default_rng(5)), strict=True):
        position = Position(variant)
        position.cells[:], position.to_move = cells, int(to_move)
        positions.append(position)
    return positions


@pytest.mark.parametrize("variant", RANDOM, ids=str)
def test_continuous_fours_win_against_every_answer(variant: Variant) -> None:
    workspace = tactics_workspace(variant, 5000)
    wins = 0
    for position in random_game_positions(variant, 150):
        if solve(geometry(variant), workspace, position.cells, position.to_move, 5000)[0] == WIN:
            play_out(position, position.to_move)
            wins += 1
    assert wins > 5


def play_out(position: Position, attacker: int) -> None:
    """Let the solver win as `attacker`, who is to move, against every answer to its fours."""
    workspace = tactics_workspace(position.variant, 5000)
    result, point, _ = solve(geometry(position.variant), workspace, position.cells, attacker, 5000)
    assert result == WIN
    position.play(point)
    if position.outcome == UNDECIDED:
        threats = fives(position, attacker)
        assert threats
        assert not fives(position, 1 - attacker)
        for answer in threats & set(np.flatnonzero(position.legal()).tolist()):
            position.play(answer)
            play_out(position, attacker)
            position.undo()
    else:
        assert position.outcome == attacker
    position.undo()


@pytest.mark.parametrize("variant", RANDOM, ids=str)
def test_no_win_by_continuous_fours_is_missed(variant: Variant) -> None:
    table, workspace = geometry(variant), tactics_workspace(variant, 1_000_000)
    for position in random_game_positions(variant, 60):
        result, _, _ = solve(table, workspace, position.cells, position.to_move, 1_000_000)
        assert (result == WIN) == finds_win(position), str(position)


def test_many_are_solved_like_one() -> None:
    table, workspace = geometry(FREE), tactics_workspace(FREE, 500)
    cells, to_move = tactical_positions(FREE, 20, np.random.default_rng(2))
    one_by_one = sum(solve(table, workspace, cells[i], int(to_move[i]), 500)[2] for i in range(20))
    assert solve_many(table, workspace, cells, to_move, 500, 3) == 3 * one_by_one > 0
