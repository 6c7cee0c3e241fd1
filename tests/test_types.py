"""Variants that make no game are refused with the value and the reason."""

from __future__ import annotations

from typing import Any

import pytest

from gobang.errors import GobangError, InvalidVariant
from gobang.types import Variant


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"height": 2}, "height 2: boards are 3 to 22 points a side"),
        ({"width": 23}, "width 23: boards are 3 to 22 points a side"),
        ({"k": 2}, "k 2: a row of 3 to 8 stones wins"),
        ({"k": 9}, "k 9: a row of 3 to 8 stones wins"),
        ({"height": 4, "width": 3, "k": 5}, "k 5: no row of 5 fits on 4x3"),
        ({"rule": "gomoku"}, "rule 'gomoku': one of freestyle, standard, renju, caro"),
        ({"players": 1}, "players 1: 2 to 4"),
        ({"players": 5}, "players 5: 2 to 4"),
        ({"rule": "renju", "k": 6}, "renju is five in a row for two players, not k=6, players=2"),
        ({"rule": "renju", "players": 3}, "renju is five in a row for two players, not k=5, players=3"),
    ],
)
def test_impossible_variants_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidVariant) as caught:
        Variant(**values)
    assert str(caught.value) == message
    assert isinstance(caught.value, GobangError)


def test_a_row_may_fit_in_one_direction_only() -> None:
    assert Variant(height=3, width=8, k=8).points == 24


def test_variants_are_values() -> None:
    assert Variant.square(8, k=4) == Variant(height=8, width=8, k=4)
    assert len({Variant(), Variant(), Variant.square(8)}) == 2
    assert Variant(players=3).draw == 3


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        (Variant(), "15x15, 5 in a row, freestyle"),
        (Variant(height=3, width=8, k=4, rule="standard", players=3), "3x8, 4 in a row, standard, 3 players"),
    ],
)
def test_variants_print_what_is_played(variant: Variant, text: str) -> None:
    assert str(variant) == text
