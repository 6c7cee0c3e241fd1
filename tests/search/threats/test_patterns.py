"""Line patterns against their definition in plain Python, and kept up to date against made anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gobang.rules.compiled import kernel
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point
from gobang.search.threats.patterns import (
    FIVE,
    FOUR,
    FOUR_AND_THREE,
    KINDS,
    NONE,
    ONE,
    OPEN_FOUR,
    OPEN_ONE,
    OPEN_THREE,
    OPEN_THREES,
    OPEN_TWO,
    QUIET,
    THREE,
    TWO,
    WINS_NEXT,
    WINS_NOW,
    Patterns,
    add_stone,
    can_make_four,
    has_five,
    level,
    pattern_board,
    remove_stone,
)
from gobang.search.threats.tactical_positions import tactical_positions
from gobang.search.threats.tactics import NOTHING, solve, tactics_workspace
from gobang.types import EMPTY, Variant
from tests.rules.games import random_moves, variants
from tests.search.plain_kinds import defined

FREE = Variant(height=3, width=20)
RULES = st.sampled_from(("freestyle", "standard", "caro"))


@kernel
def level_of(profile: int) -> int:
    """What kernels see of a profile."""
    return level(profile)


def kinds(patterns: Patterns, player: int, point: int) -> list[int]:
    """The kinds in the four directions."""
    return patterns.tables[player, patterns.codes[player, point]].tolist()


@pytest.mark.parametrize(
    ("rule", "row", "kind"),
    [
        ("freestyle", "....XX*XX......", FIVE),
        ("freestyle", "....X*XXXX.....", FIVE),
        ("standard", "....X*XXXX.....", NONE),
        ("freestyle", "....XX*X.......", OPEN_FOUR),
        ("freestyle", "....X.X*X.X....", OPEN_FOUR),
        ("freestyle", "...OXX*X.......", FOUR),
        ("freestyle", "....XX*.X......", FOUR),
        ("standard", "....XX*X.X.....", FOUR),
        ("freestyle", "....X*X........", OPEN_THREE),
        ("freestyle", "....X.*X.......", OPEN_THREE),
        ("freestyle", "...OX*X........", THREE),
        ("freestyle", "..O.X*X.O......", THREE),
        ("freestyle", "..O.X*XO.......", NONE),
        ("freestyle", "....X*.........", OPEN_TWO),
        ("freestyle", "...OX*.........", TWO),
        ("freestyle", ".....*.........", OPEN_ONE),
        ("freestyle", "*..............", ONE),
        ("caro", "..OXX*XX.......", FIVE),
        ("caro", "..OXX*XXO......", NONE),
        ("caro", "XX*XXO.........", FIVE),
        ("caro", "..OXX*XXXO.....", FIVE),
        ("caro", "....XX*X.......", OPEN_FOUR),
        ("caro", "..O.XX*X.......", FOUR),
        ("caro", "..O.XX*X.O.....", FOUR),
        ("caro", "..O..XX*X..O...", OPEN_FOUR),
    ],
)
def test_kinds_are_those_of_the_game(rule: str, row: str, kind: int) -> None:
    variant = Variant(height=3, width=15, rule=rule)
    cells = np.array([" XO".find(letter) if letter in "XO" else EMPTY for letter in row] + [EMPTY] * 30, np.int8)
    assert kinds(pattern_board(variant, cells), 0, row.index("*"))[0] == kind


@settings(deadline=None)
@given(st.lists(st.sampled_from((0, 0, 1, 2)), min_size=9, max_size=11), st.integers(3, 5), RULES, st.data())
def test_tables_hold_the_definition(row: list[int], k: int, rule: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from([i for i, cell in enumerate(row) if cell == 0] or [None]))
    assume(at is not None)
    k = 5 if rule == "caro" else k
    variant = Variant(height=3, width=len(row), k=k, rule=rule)
    patterns = pattern_board(variant, np.array(row + [EMPTY] * 2 * len(row), np.int8))
    for player in (0, 1):
        seen = tuple(cell if cell == 0 else 1 if cell == player + 1 else 2 for cell in row)
        assert kinds(patterns, player, at)[0] == defined(seen, at, k, rule)


@settings(deadline=None)
@given(variants(), st.integers(0, 10**6))
def test_kept_up_to_date_is_as_made_anew(variant: Variant, seed: int) -> None:
    assume(variant.players == 2 and (variant.k < 7 or variant.rule == "freestyle"))
    position = Position(variant)
    kept = pattern_board(variant, position.cells)
    for move in random_moves(position, seed):
        add_stone(kept, move, position.to_move)
        position.play(move)
    check_same(kept, position)
    for _ in range(len(position.moves) // 2):
        remove_stone(kept, position.undo())
    check_same(kept, position)


def check_same(kept: Patterns, position: Position) -> None:
    anew = pattern_board(position.variant, position.cells)
    empty = position.cells == EMPTY
    assert (kept.cells == position.cells).all()
    assert (kept.codes == anew.codes)[:, empty].all()
    assert (kept.profiles == anew.profiles)[:, empty].all()
    found = kept.tables[0, kept.codes[0]], kept.tables[1, kept.codes[1]]
    for player in (0, 1):
        assert kept.counts[player].tolist() == np.bincount(found[player][empty].reshape(-1), minlength=KINDS).tolist()
    assert (kept.counts == anew.counts).all()


@pytest.mark.parametrize(
    ("black", "point", "wanted"),
    [
        ("c8 d8 e8 f8", "g8", WINS_NOW),
        ("d8 e8 f8", "g8", WINS_NEXT),
        ("a8 b8 c8 d1 d2 d3", "d8", QUIET),
        ("a8 b8 c8 d7 d6 d5", "d8", WINS_NEXT),
        ("a8 b8 c8 d7 d6", "d8", FOUR_AND_THREE),
        ("e8 f8 g7 g6", "g8", OPEN_THREES),
        ("e8 f8", "g8", QUIET),
    ],
)
def test_levels_join_the_directions(black: str, point: str, wanted: int) -> None:
    variant = Variant.square(15)
    stones = [parse_point(variant, name) for name in black.split()]
    patterns = pattern_board(variant, Position.from_stones(variant, [stones, []], 1).cells)
    assert level_of(patterns.profiles[0, parse_point(variant, point)]) == wanted


@kernel
def is_tactical(patterns: Patterns, player: int) -> bool:
    return can_make_four(patterns, player) or has_five(patterns, 1 - player)


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
def test_where_no_four_can_be_made_nor_five_be_met_tactics_find_nothing(rule: str) -> None:
    variant, seen = Variant.square(11, rule=rule), [0, 0]
    workspace, generator = tactics_workspace(variant, 2000), np.random.default_rng(1)
    for cells, _ in zip(*tactical_positions(variant, 400, generator, plies=(8, 24)), strict=True):
        patterns = pattern_board(variant, cells)
        for player in (0, 1):
            verdict, _, _ = solve(geometry(variant), workspace, cells, player, 2000)
            tactical = is_tactical(patterns, player)
            seen[tactical] += 1
            assert tactical or verdict == NOTHING
    assert min(seen) > 50
