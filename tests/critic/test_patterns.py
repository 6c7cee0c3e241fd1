"""Patterns and inputs against their plain twins, and kept up to date against made anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gobang.critic.board import board_of, put_stone
from gobang.critic.inputs import FULL, SMALL, coding, write_inputs
from gobang.critic.network import critic_of, new_critic, value_after_moves
from gobang.critic.patterns import line_patterns
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.types import EMPTY, Variant
from tests.critic import plain
from tests.rules.games import crowded_cells, random_moves, variants


def plain_counts(variant: Variant, cells: NDArray[np.int8]) -> list[list[int]]:
    """[2, PATTERNS] in the order of the patterns."""
    return [[plain.patterns(variant, cells, player)[pattern] for pattern in plain.ORDER] for player in (0, 1)]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("...XXXX........", {(plain.OPEN_FOUR, 0): 1}),
        ("..OXXXX........", {(plain.FOUR, 0): 1}),
        ("...XX.XX.......", {(plain.FOUR, 1): 1}),
        ("....X.XX.......", {(plain.OPEN_THREE, 1): 1}),
        ("...OXXX........", {(plain.THREE, 0): 1}),
        (".X..X......OXXO", {(plain.OPEN_TWO, 2): 1, (plain.NONE, 1): 1}),
        ("...XXX...XX....", {(plain.OPEN_THREE, 0): 1, (plain.OPEN_TWO, 0): 1}),
    ],
)
def test_patterns_have_the_names_that_players_give_them(row: str, found: dict[plain.Pattern, int]) -> None:
    variant = Variant(height=3, width=15)  # no other line is long enough
    cells = np.array([" XO".find(letter) if letter in "XO" else EMPTY for letter in row] + [EMPTY] * 30, np.int8)
    counts = board_of(variant, cells).counts[0]
    assert {plain.ORDER[pattern]: counts[pattern] for pattern in np.flatnonzero(counts)} == found


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from([Variant.square(15), Variant.square(9, rule="renju"), Variant.square(8, k=4)]),
    st.integers(0, 10**6),
)
def test_counts_hold_the_definition(variant: Variant, seed: int) -> None:
    cells = crowded_cells(variant, seed)
    assert board_of(variant, cells).counts.tolist() == plain_counts(variant, cells)


@settings(deadline=None, max_examples=40)
@given(variants(), st.integers(0, 10**6))
def test_kept_up_to_date_is_as_made_anew(variant: Variant, seed: int) -> None:
    assume(variant.players == 2 and (variant.k < 7 or variant.rule == "freestyle"))
    position = Position(variant)
    kept = board_of(variant, position.cells)
    for move in random_moves(position, seed):
        put_stone(geometry(variant), line_patterns(variant), kept, move, position.to_move)
        position.play(move)
    anew = board_of(variant, np.ascontiguousarray(position.cells[::-1]))  # a board turned round has the same patterns
    assert kept.counts.tolist() == anew.counts.tolist()


@pytest.mark.parametrize(("features", "size"), [(SMALL, 30), (FULL, 274)])
def test_inputs_hold_the_definition(features: str, size: int) -> None:
    variant = Variant.square(15)
    for seed in range(20):
        cells, to_move = crowded_cells(variant, seed), seed % 2
        out = np.full(size, np.nan, np.float32)
        write_inputs(coding(features), board_of(variant, cells).counts, to_move, out)
        counts = [plain.patterns(variant, cells, player) for player in (0, 1)]
        assert out == pytest.approx(plain.inputs(features, counts, to_move))


@pytest.mark.parametrize("features", [SMALL, FULL])
def test_values_are_those_of_the_network_after_each_move(features: str) -> None:
    variant = Variant.square(9, rule="renju")
    critic = new_critic(features, seed=1)
    critic = critic_of(
        features, inward=critic.inward, bias=critic.bias + 0.1, outward=critic.outward * 9, last_bias=critic.last_bias
    )
    position = Position(variant, list(random_moves_of(variant, 20)))
    values = np.zeros(variant.points, np.float32)
    value_after_moves(geometry(variant), line_patterns(variant), critic, board_of(variant, position.cells), 0, values)
    assert ((values >= 0) == position.legal()).all()
    for point in np.flatnonzero(position.legal()):
        position.play(int(point))
        counts = [plain.patterns(variant, position.cells, player) for player in (0, 1)]
        sums = np.array(plain.inputs(features, counts, 1)) @ critic.inward + critic.bias
        total = (sums / (1 + abs(sums))) @ critic.outward + critic.last_bias[0]
        assert values[point] == pytest.approx(1 / (1 + np.exp(-total)), abs=1e-5)
        position.undo()


def random_moves_of(variant: Variant, count: int) -> list[int]:
    """The first moves of a game that is not over by then."""
    position = Position(variant)
    for move in random_moves(position, seed=3):
        if len(position.moves) == count:
            break
        position.play(move)
    assert len(position.moves) == count
    return position.moves
