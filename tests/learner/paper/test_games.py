from __future__ import annotations

from dataclasses import replace

import numpy as np

from gobang.evaluators.null import NullEvaluator
from gobang.rules.position import Position
from gobang.search.trees.search import Search
from learner.paper.games import Game, play_games, search_config
from tests.learner.paper.small import SMALL


def played(noise: float, seed: int = 1) -> tuple[Game, ...]:
    config = replace(SMALL, noise=noise)
    return play_games(config, NullEvaluator(config.game), 8, 20, np.random.default_rng(seed)).games


def off_policy(games: tuple[Game, ...]) -> int:
    """Return how many moves were played that the search never looked at."""
    return sum(
        policy[move] == 0 for game in games for policy, move in zip(game.policy, game.position.moves, strict=True)
    )


def test_noise_is_in_the_moves_and_not_in_the_targets() -> None:
    assert off_policy(played(noise=0.0)) == 0
    assert off_policy(played(noise=1.0)) > 0
    for game in played(noise=1.0):
        for policy in game.policy:
            assert abs(policy.sum() - 1) < 1e-5


def test_searches_make_their_simulations_beside_those_kept() -> None:
    config = search_config(SMALL, 64, noise=0.0, reuse=True)
    evaluator, random, position = NullEvaluator(SMALL.game), np.random.default_rng(1), Position(SMALL.game)
    search = Search(SMALL.game, config, evaluator, rng=random, nodes=1000, beside_kept=True)
    first = search.run([position]).visits[0]
    assert first.sum() == 64
    move = int(first.argmax())
    position.play(move)
    assert search.run([position]).visits[0].sum() == 64 + first[move] - 1  # its first visit made it a node


def test_the_same_seed_plays_the_same_games() -> None:
    first, second, other = (
        [game.position.moves for game in games] for games in (played(0.25), played(0.25), played(0.25, seed=2))
    )
    assert first == second != other


def test_samples_say_who_won_as_each_side_sees_it() -> None:
    game = Game(Position(SMALL.game))
    for move in (0, 3, 1, 4, 2):  # black has the first row
        game.play(np.full(9, 1 / 9, np.float32), move)
    samples = game.samples()
    assert samples.result_chances.argmax(axis=1).tolist() == [0, 1, 0, 1, 0]
    assert samples.boards.cells[2].tolist() == [1, 0, 0, 2, 0, 0, 0, 0, 0]
    assert samples.boards.to_move.tolist() == [0, 1, 0, 1, 0]
