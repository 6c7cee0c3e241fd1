"""The kernels on the stones against the rules in plain Python, in random full games."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gobang.errors import IllegalMove
from gobang.rules import board, rule
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.types import RULES, UNDECIDED, Variant
from tests.rules.games import random_moves, variants
from tests.rules.plain import PlainGame

CARO = (Path(__file__).parents[1] / "golden" / "caro.txt").read_text().split("\n= ")[1:]


def assert_same(position: Position, game: PlainGame) -> None:
    """The position and its plain twin agree on everything."""
    variant = position.variant
    legal = np.zeros((variant.height, variant.width), np.bool_)
    for cell in game.legal() if game.outcome == UNDECIDED else ():
        legal[cell] = True
    assert position.outcome == game.outcome
    assert position.to_move == game.to_move
    assert (position.legal() == legal.reshape(-1)).all()


@settings(max_examples=120, deadline=None, derandomize=True)
@given(variants(), st.integers(0, 10**9))
def test_random_games_agree_with_the_plain_rules_at_every_ply(variant: Variant, seed: int) -> None:
    position, game = Position(variant), PlainGame(variant)
    tables = geometry(variant)
    for point in random_moves(position, seed):
        player, cell = position.to_move, divmod(point, variant.width)
        position.play(point)
        game.play(cell)
        assert board.is_win(tables, position.cells, point) == game.wins(player, cell)
        assert_same(position, game)
    assert game.outcome == position.outcome != UNDECIDED


@settings(max_examples=60, deadline=None, derandomize=True)
@given(variants(), st.integers(0, 10**9))
def test_key_follows_the_moves(variant: Variant, seed: int) -> None:
    position, tables = Position(variant), geometry(variant)
    key = position.key
    for point in random_moves(position, seed):
        before = position.to_move
        position.play(point)
        key ^= int(tables.stone_key[before, point] ^ tables.turn_key[before] ^ tables.turn_key[position.to_move])
        assert position.key == key


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("length", range(3, 10))
def test_every_row_on_a_small_board(rule: str, length: int) -> None:
    """A row of each length, in each place and direction, for both colours, completed at each stone."""
    variant = Variant.square(9, rule=rule)
    tables, square = geometry(variant), np.arange(81).reshape(9, 9)
    wins = {"freestyle": (True, True), "standard": (False, False), "renju": (False, True), "caro": (True, True)}[rule]
    for line in [*square, *square.T, square.diagonal(), square[::-1].diagonal()]:
        for start in range(10 - length):
            for stone in (1, 2):
                cells = np.zeros(81, np.int8)
                cells[line[start : start + length]] = stone
                expected = length == 5 or (length > 5 and wins[stone - 1])
                for point in line[start : start + length]:
                    assert board.is_win(tables, cells, int(point)) == expected


@pytest.mark.parametrize("diagram", CARO, ids=lambda diagram: diagram.splitlines()[0])
def test_caro_diagrams(diagram: str) -> None:
    """Whether black's stone on each `+` wins and on each `-` does not."""
    rows = [line.split() for line in diagram.strip().splitlines()[:0:-1]]
    marks = [mark for row in rows for mark in row]
    cells = np.array([{"X": 1, "O": 2}.get(mark, 0) for mark in marks], np.int8)
    variant = Variant(height=len(rows), width=len(rows[0]), rule="caro")
    for point, mark in enumerate(marks):
        if mark in "+-":
            after = cells.copy()
            after[point] = 1
            assert board.is_win(geometry(variant), after, point) == (mark == "+"), point


def test_full_board_without_a_row_is_a_draw() -> None:
    position = Position(Variant.square(3, k=3), [0, 1, 2, 4, 3, 5, 7, 6, 8])
    assert position.outcome == position.variant.draw


def test_black_without_a_legal_move_is_a_draw() -> None:
    variant = Variant(height=3, width=9, rule="renju")
    rows = ["XXX.XX.OO", "OOXXOOXXO", "XXOOXXOOX"]  # d1 is an overline, g1 is still to be played by white
    marks = "".join(rows)
    stones = [[p for p, mark in enumerate(marks) if mark == player] for player in "XO"]
    position = Position.from_stones(variant, stones, to_move=1)
    assert position.outcome == UNDECIDED
    position.play(6)
    assert position.outcome == variant.draw
    assert not position.legal().any()
    position.undo()
    assert position.outcome == UNDECIDED
    assert position.legal().sum() == 2


def test_kernels_compiled_for_one_variant_serve_all() -> None:
    kernels = [board.outcome_after, board.legal_moves, board.position_key, rule.refusal]
    compiled = []
    for variant in (Variant(rule="renju"), Variant.square(8, rule="standard"), Variant(height=5, width=9, players=3)):
        position = Position(variant)
        for _, point in zip(range(30), random_moves(position, 1), strict=False):
            position.play(np.int16(point))  # type: ignore[arg-type]
        position.undo()
        assert position.key
        with pytest.raises(IllegalMove):
            position.check(np.int16(position.last_move))  # type: ignore[arg-type]
        compiled.append([len(kernel.signatures) for kernel in kernels])  # type: ignore[attr-defined]
    assert compiled[0] == compiled[1] == compiled[2]
    assert min(compiled[0]) > 0
