from __future__ import annotations

import pytest

from gobang.errors import PlayerFailure, Unsolved
from gobang.players import make_player, parse
from gobang.players.exact import ExactPlayer
from gobang.players.player import Turn
from gobang.rules.position import Position
from gobang.types import Variant

VARIANT = Variant.square(5, k=4)


def choose(moves: list[int], seed: int = 1) -> int:
    return ExactPlayer(VARIANT, seed).choose([Turn(game=0, position=Position(VARIANT, moves))])[0]


def test_takes_the_win_that_is_there_at_once() -> None:
    assert choose([6, 0, 7, 1, 8, 2]) in (5, 9)


def test_a_lost_side_makes_the_other_one_work() -> None:
    assert choose([6, 0, 7]) in (5, 8, 9)  # elsewhere an open three follows at once


def test_the_seed_decides_among_equal_moves() -> None:
    moves = [choose([12], seed) for seed in range(8)]
    assert moves == [choose([12], seed) for seed in range(8)]
    assert len(set(moves)) > 1


def test_leaves_the_position_as_it_was() -> None:
    position = Position(VARIANT, [12, 6])
    before = position.cells.copy()
    ExactPlayer(VARIANT, seed=1).choose([Turn(game=0, position=position)])
    assert position.moves == [12, 6]
    assert (position.cells == before).all()


def test_large_boards_are_refused() -> None:
    with pytest.raises(Unsolved, match="8x8"):
        make_player(parse("exact"), Variant.square(8), seed=1)


def test_what_it_cannot_solve_fails_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gobang.search.proof.exact.ExactSolver.value", _give_up)
    with pytest.raises(PlayerFailure, match="too hard"):
        choose([12])


def _give_up(solver: object, position: Position) -> int:
    raise Unsolved("too hard")
