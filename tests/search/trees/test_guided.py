"""Equally many guided games behind each urgent point."""

from __future__ import annotations

import pytest

from gobang.rules.position import Position, parse_point
from gobang.search.trees.guided import GuidedSearch
from gobang.types import Variant

FREE = Variant.square(9)


def chosen(stones: list[str], to_move: int, games: int = 80, seed: int = 1) -> int:
    placed = [[parse_point(FREE, name) for name in names.split()] for names in stones]
    search = GuidedSearch(FREE, width=8, seed=seed)
    search.begin(Position.from_stones(FREE, placed, to_move), games)
    while search.step():
        pass
    return search.move


@pytest.mark.parametrize(
    ("stones", "to_move", "expected"),
    [
        (["c3 d3 e3 f3", "b3 c9 e9 g9"], 0, ["g3"]),
        (["c3 d3 e3 f3", "b3 c9 e9"], 1, ["g3"]),
        (["d5 e5 f5", "a1 c1 e9"], 0, ["c5", "g5"]),
    ],
    ids=["a win in one", "the only block", "an open four"],
)
def test_threats_are_met(stones: list[str], to_move: int, expected: list[str]) -> None:
    assert chosen(stones, to_move) in [parse_point(FREE, name) for name in expected]


def test_equal_seeds_give_equal_moves_and_the_board_is_left_alone() -> None:
    assert len({chosen(["d5 f6", "e4 e6"], 0, seed=seed) for seed in (3, 3, 3)}) == 1


def test_every_point_gets_as_many_games() -> None:
    search = GuidedSearch(FREE, width=5, seed=1)
    search.begin(Position(FREE, [40, 41]), 60)
    steps = 1
    while search.step():
        steps += 1
    assert steps == 3  # of four games behind each of five
