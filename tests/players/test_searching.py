"""Players that search, with real networks from files."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path

import pytest

from gobang.errors import InvalidCheckpoint
from gobang.network.checkpoint import fresh_checkpoint, save_checkpoint
from gobang.network.presets import preset
from gobang.players import make_player, parse
from gobang.players.options import SearchOptions
from gobang.players.player import Turn
from gobang.players.searching import SearchingPlayer, leaves_for
from gobang.rules.position import Position, parse_point
from gobang.types import UNDECIDED, Variant
from tests.search.evaluators import HashedEvaluator, LateEvaluator

VARIANT = Variant.square(6, k=4)


@pytest.fixture(params=["gobang_2x32", "lines_64"])
def weights(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "weights.safetensors"
    save_checkpoint(path, fresh_checkpoint(preset(request.param), VARIANT))
    return path


@pytest.mark.parametrize(
    "options",
    [
        "sims=16",
        "sims=16,search=gumbel",
        "sims=16,search=ucb1,solver=off",
        "sims=16,threads=2",
        "ms=20",
        "ms=20,threads=2",
        "ms=20,leaves=2",
        "ms=20,memory_mb=1",
    ],
)
def test_a_network_plays_many_games_to_the_end(weights: Path, options: str) -> None:
    player = make_player(parse(f"net:{weights},{options}"), VARIANT, seed=1)
    games = [Position(VARIANT, [point]) for point in range(3)]
    while any(game.outcome == UNDECIDED for game in games):
        open_games = [index for index, game in enumerate(games) if game.outcome == UNDECIDED]
        moves = player.choose([Turn(game=index, position=games[index]) for index in open_games])
        for index, move in zip(open_games, moves, strict=True):
            games[index].play(move)
    player.close()


def test_what_was_searched_while_the_opponent_thought_is_kept(weights: Path) -> None:
    player = make_player(parse(f"net:{weights},ms=50"), VARIANT, seed=1)
    assert isinstance(player, SearchingPlayer)
    position, asked = Position(VARIANT, [14]), count()
    player.ponder(Turn(game=0, position=position, may_go_on=lambda: next(asked) < 20))
    position.play(player._alone.move)
    kept = player._begun_alone(position).simulations_done()
    assert kept > 10
    position.play(player.choose([Turn(game=0, position=position)])[0])
    assert player._alone.simulations_done() > kept


def test_weights_for_another_game_are_refused(weights: Path) -> None:
    with pytest.raises(InvalidCheckpoint, match="weights for 6x6, 4 in a row"):
        make_player(parse(f"net:{weights}"), Variant.square(6, k=5), seed=1)
    with pytest.raises(InvalidCheckpoint, match="absent"):
        make_player(parse("net:absent.safetensors"), VARIANT, seed=1)


@pytest.mark.parametrize("spec", ["uniform", "uniform:sims=10000000", "rollout"])
def test_a_turn_with_seconds_ends_in_time(spec: str) -> None:
    """The search looks at the clock; how exactly is for the benchmark to say."""
    player = make_player(parse(spec), Variant.square(15), seed=1)
    start = time.monotonic()
    player.choose([Turn(game=0, position=Position(Variant.square(15), [112]), seconds=0.05)])
    assert time.monotonic() - start < 30


def test_simulations_cap_a_timed_move() -> None:
    player = make_player(parse("uniform:sims=10"), Variant.square(8), seed=1)
    start = time.monotonic()
    player.choose([Turn(game=0, position=Position(Variant.square(8)), seconds=3600.0)])
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(("leaves", "expected"), [(None, 1), (4, 4)])
def test_a_move_by_simulations_asks_about_as_many_positions_as_it_is_told(leaves: int | None, expected: int) -> None:
    evaluator = HashedEvaluator(VARIANT)
    player = SearchingPlayer("hashed", VARIANT, SearchOptions(sims=64, leaves=leaves), evaluator, seed=1)
    player.choose([Turn(game=0, position=Position(VARIANT))])
    assert max(map(len, evaluator.asked)) == expected


@pytest.mark.parametrize("seconds", [None, 3600.0])
@pytest.mark.parametrize(("threads", "questions"), [(1, 1), (2, 3)])
def test_each_thread_has_a_question_and_the_tree_one_more(seconds: float | None, threads: int, questions: int) -> None:
    evaluator = LateEvaluator(HashedEvaluator(VARIANT))
    player = SearchingPlayer("late", VARIANT, SearchOptions(sims=64), evaluator, seed=1, threads=threads)
    player.choose([Turn(game=0, position=Position(VARIANT), seconds=seconds)])
    assert evaluator.most_in_flight == questions


@pytest.mark.parametrize(("size", "threads", "leaves"), [(15, 1, 8), (15, 2, 4), (8, 1, 8), (8, 2, 8)])
def test_large_boards_have_smaller_questions_where_several_are_under_way(size: int, threads: int, leaves: int) -> None:
    assert leaves_for(Variant.square(size), threads) == leaves


def test_slots_go_round_when_games_come_and_go() -> None:
    """More games than trees over time: each keeps its own as long as it is in play."""
    player = make_player(parse("uniform:sims=4"), VARIANT, seed=1)
    for first in range(0, 3 * player.games_at_once, player.games_at_once):
        turns = [Turn(game=first + index, position=Position(VARIANT)) for index in range(player.games_at_once)]
        assert len(player.choose(turns)) == player.games_at_once


def test_large_searches_play_fewer_games_at_once() -> None:
    few = make_player(parse("uniform:sims=200000,memory_mb=512"), Variant.square(15), seed=1)
    many = make_player(parse("uniform:sims=100"), Variant.square(15), seed=1)
    assert few.games_at_once == 1
    assert many.games_at_once == 64


def test_the_solver_works_in_a_timed_search_without_a_limit_of_simulations() -> None:
    """Against an open three of four in a row to come, every move but a few loses by force."""
    variant = Variant.square(8)
    position = Position(variant, [parse_point(variant, name) for name in ["a1", "d4", "b1", "d5", "h1", "d6"]])
    player, asked = make_player(parse("uniform:memory_mb=1"), variant, seed=1), count()
    turn = Turn(game=0, position=position, seconds=60.0, may_go_on=lambda: next(asked) < 1000)
    move = player.choose([turn])[0]
    assert move in {parse_point(variant, name) for name in ("d3", "d7", "d2", "d8")}


def test_an_analysis_that_its_memory_cannot_hold_still_uses_the_solver() -> None:
    variant = Variant.square(7, k=4)
    player = make_player(parse("uniform:memory_mb=1"), variant, seed=1)
    search = player.analyse(Position(variant, [23, 0, 24, 6, 25]), simulations=10**6)  # type: ignore[attr-defined]
    while search.step():
        pass
    assert search.analysis(most=3).proven == 0  # whatever white does
    player.close()


def test_a_search_on_time_goes_on_when_its_memory_is_full() -> None:
    variant = Variant.square(15)
    player = make_player(parse("uniform:memory_mb=1,ms=60000"), variant, seed=1)
    assert isinstance(player, SearchingPlayer)

    def is_small() -> bool:
        assert player._alone is not None
        return player._alone.simulations_done() < 5 * player._nodes

    player.choose([Turn(game=0, position=Position(variant, [112, 113]), may_go_on=is_small)])
    assert player._alone is not None
    assert not is_small()
    assert player._alone._trees.parent.shape[1] == player._nodes < 1000
    player.close()


def test_many_simulations_keep_within_the_memory_too() -> None:
    variant = Variant.square(15)
    player = make_player(parse("uniform:memory_mb=1,sims=3000"), variant, seed=1)
    assert isinstance(player, SearchingPlayer)
    position = Position(variant, [112, 113])
    player.choose([Turn(game=0, position=position)])
    assert player._lock_step is not None
    assert player._lock_step.simulations_done() == 3000
    assert player._lock_step._trees.parent.shape[1] == player._nodes < 1000
    search = player.analyse(position, 3000)
    while search.step():
        pass
    assert search.simulations_done() == 3000
    assert search._trees.parent.shape[1] == player._nodes
    player.close()
