"""The player that looks one ply ahead."""

from __future__ import annotations

import pytest

from gobang.errors import InvalidSpec
from gobang.players import make_player, parse
from gobang.players.player import Turn
from gobang.rules.position import Position, parse_point, point_name
from gobang.types import Variant


def chosen(variant: Variant, black: str, white: str, seed: int = 1) -> str:
    """Its move for black."""
    stones = [[parse_point(variant, name) for name in names.split()] for names in (black, white)]
    position = Position.from_stones(variant, stones, 0)
    return point_name(
        variant, make_player(parse("pattern"), variant, seed).choose([Turn(game=0, position=position)])[0]
    )


@pytest.mark.parametrize(
    ("variant", "black", "white", "moves"),
    [
        (Variant.square(15), "c3 d3 e3 f3", "c5 d5 e5 f5", {"b3", "g3"}),  # win before you block
        (Variant.square(15), "g8 h8 i8", "b3 c5 d5 e5 f5", {"b5", "g5"}),  # block before you build
        (Variant.square(15), "g8 h8 i8", "a1 c12 d12 e12", {"f8", "j8"}),  # your open four before theirs
        (Variant.square(15), "a1 o15", "g8 h8 i8", {"f8", "j8"}),
        (Variant.square(6, k=4), "b2 c2", "e5 a6", {"a2", "d2"}),
        (Variant.square(20, rule="standard"), "c3 d3 e3 g3 h3", "c9 d9 e9 f9", {"b9", "g9"}),  # six would not win
    ],
)
def test_plays_the_most_urgent_point(variant: Variant, black: str, white: str, moves: set[str]) -> None:
    assert {chosen(variant, black, white, seed) for seed in range(10)} <= moves


def test_opens_in_the_middle_and_ties_go_by_seed() -> None:
    variant = Variant.square(8)
    first = [chosen(variant, "", "", seed) for seed in range(20)]
    assert len(set(first)) > 1
    assert all(column in "cdef" and row in "3456" for column, row in first)
    assert first == [chosen(variant, "", "", seed) for seed in range(20)]


def test_more_than_two_players_are_refused() -> None:
    with pytest.raises(InvalidSpec, match="two players, not 3"):
        make_player(parse("pattern"), Variant.square(9, players=3), seed=1)
