"""The player that searches by depth: its budgets."""

from __future__ import annotations

import time

import pytest

from gobang.errors import InvalidSpec
from gobang.players import make_player, parse
from gobang.players.alphabeta import AlphaBetaPlayer
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import Variant

VARIANT = Variant.square(15)
OPENING = Position(VARIANT, [112, 113, 128])


def searched(text: str, seconds: float | None = None) -> tuple[int, int]:
    """(positions, depth) that a move of the player took."""
    player = make_player(parse(text), VARIANT, seed=1)
    assert isinstance(player, AlphaBetaPlayer)
    player.choose([Turn(game=0, position=OPENING, seconds=seconds)])
    return player.search.nodes(), player.search.depth


@pytest.mark.parametrize(
    ("text", "seconds", "most"),
    [
        ("alphabeta:nodes=700", None, 700),
        ("alphabeta:nodes=700", 3600.0, 700),  # positions cap a timed move
        ("alphabeta:nodes=700,depth=60,search=alphabeta", None, 700),
    ],
)
def test_positions_limit_a_move(text: str, seconds: float | None, most: int) -> None:
    assert searched(text, seconds)[0] == most


def test_depth_limits_a_move() -> None:
    assert searched("alphabeta:depth=2")[1] == 2
    assert searched("alphabeta:depth=2", seconds=3600.0)[1] == 2


@pytest.mark.parametrize(
    ("text", "seconds"), [("alphabeta:ms=50", None), ("alphabeta", 0.05), ("alphabeta:ms=99999", 0.05)]
)
def test_time_ends_a_move(text: str, seconds: float | None) -> None:
    """The search looks at the clock; how exactly is for the benchmark to say."""
    start = time.monotonic()
    assert searched(text, seconds)[0] > 0
    assert time.monotonic() - start < 30


def test_equal_games_under_equal_seeds() -> None:
    first, again = (make_player(parse("alphabeta:nodes=300"), VARIANT, seed=2) for _ in range(2))
    positions = [Position(VARIANT, [112, point]) for point in (113, 97, 128)]
    turns = [Turn(game=game, position=position) for game, position in enumerate(positions)]
    assert first.choose(turns) == again.choose(turns[::-1])[::-1]


def test_more_than_two_players_are_refused() -> None:
    with pytest.raises(InvalidSpec, match="two players, not 3"):
        make_player(parse("alphabeta"), Variant.square(9, players=3), seed=1)
