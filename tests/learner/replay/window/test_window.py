from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from gobang.errors import InvalidConfig
from gobang.rules.position import Position
from gobang.types import NO_MOVE, SelfPlayGame, Variant
from learner.replay.bench import random_game
from learner.replay.pool.codec import trainable_positions
from learner.replay.window.samples import Samples
from learner.replay.window.window import SamplingConfig, Window
from tests.learner.replay.games import EIGHT, SMALL, stored_games

UNIFORM = SamplingConfig(kind="uniform")


def plain_samples(game: SelfPlayGame) -> dict[int, tuple[Any, ...]]:
    """What the window should give for each ply with a policy, by replaying the game."""
    found = {}
    position, players = Position(game.variant), game.variant.players
    for ply, move in enumerate(game.moves.tolist()):
        entries = slice(game.policy_start[ply], game.policy_start[ply + 1])
        mover = position.to_move
        policy = np.zeros(game.variant.points, np.float32)
        policy[game.policy_point[entries]] = game.policy_share[entries]
        order = [(mover + seat) % players for seat in range(players)] + [players]
        result = [float(outcome == game.outcome) for outcome in order]
        reply = int(game.moves[ply + 1]) if ply + 1 < len(game) else NO_MOVE
        stage = min(2, 3 * ply // len(game))
        board = (position.cells.tobytes(), mover, position.last_moves)
        learned = (policy.tobytes(), game.searched[ply][order].tolist(), result)
        if policy.any():
            found[ply] = (*board, *learned, reply, stage, int(game.version[ply]), 1.0)
        position.play(move)
    return found


def rows_of(samples: Samples) -> list[tuple[Any, ...]]:
    """Samples as tuples that compare with those of `plain_samples`."""
    positions = samples.boards
    return [
        (
            positions.cells[b].tobytes(),
            int(positions.to_move[b]),
            positions.last_moves[b].tolist(),
            samples.policy[b].tobytes(),
            samples.search_chances[b].tolist(),
            samples.result_chances[b].tolist(),
            int(samples.reply[b]),
            int(samples.stage[b]),
            int(samples.weights_version[b]),
            float(samples.weight[b]),
        )
        for b in range(len(samples))
    ]


@pytest.mark.parametrize("variant", [SMALL, EIGHT, Variant(height=4, width=6, k=3, players=3)], ids=str)
def test_it_draws_exactly_the_searched_positions_as_a_plain_replay_sees_them(variant: Variant) -> None:
    games = stored_games(variant, 12)
    window = Window(variant, 10_000, UNIFORM)
    window.extend(games)
    expected = [row for game in games for row in plain_samples(game).values()]
    assert len(window) == len(expected) == sum(map(trainable_positions, games))
    drawn = {repr(row) for row in rows_of(window.sample(30 * len(window), np.random.default_rng(0)))}
    assert drawn == {repr(row) for row in expected}


def test_it_holds_as_few_of_the_newest_games_as_fill_it() -> None:
    games = stored_games(SMALL, 60)
    window = Window(SMALL, 100, UNIFORM)
    window.extend(games)
    newest = games[-window.games :]
    assert len(window) == sum(map(trainable_positions, newest)) >= 100
    assert len(window) - trainable_positions(newest[0]) < 100
    expected = {repr(row) for game in newest for row in plain_samples(game).values()}
    assert {repr(row) for row in rows_of(window.sample(4000, np.random.default_rng(0)))} == expected
    window.resize(50)
    assert len(window) < 100


def numbered_window(sampling: SamplingConfig, surprise: float | None = None) -> tuple[Window, dict[int, float]]:
    """A window whose positions have their number as version, and the surprise of each number."""
    window, by_version, number = Window(SMALL, 300, sampling), {}, 0
    for game in stored_games(SMALL, 60):
        versions = np.arange(number, number + len(game), dtype=np.int32)
        number += len(game)
        chosen = game.surprise if surprise is None else np.full_like(game.surprise, surprise)
        window.extend([replace(game, version=versions, surprise=chosen)])
        by_version.update(zip(versions.tolist(), chosen.tolist(), strict=True))
    return window, by_version


def frequencies(window: Window) -> tuple[np.ndarray, np.ndarray]:
    """The versions drawn, in order, and the share of the draws of each."""
    versions, counts = np.unique(window.sample(400_000, np.random.default_rng(0)).weights_version, return_counts=True)
    assert len(versions) == len(window)
    return versions, counts / counts.sum()


def test_uniform_draws_all_alike() -> None:
    window, _ = numbered_window(UNIFORM)
    _, share = frequencies(window)
    np.testing.assert_allclose(share * len(window), 1, atol=0.15)


def test_recent_draws_fall_exponentially_with_age() -> None:
    window, _ = numbered_window(SamplingConfig(kind="recent", sharpness=2.0))
    _, share = frequencies(window)
    fifths = [part.mean() for part in np.array_split(share, 5)]
    ratios = np.divide(fifths[1:], fifths[:-1])
    np.testing.assert_allclose(ratios, np.exp(2 / 5), rtol=0.05)


@pytest.mark.parametrize("surprise_share", [0.5, 1.0])
def test_surprise_gets_its_share_of_the_draws(surprise_share: float) -> None:
    window, by_version = numbered_window(SamplingConfig(kind="surprise", surprise_share=surprise_share))
    versions, share = frequencies(window)
    surprise = np.array([by_version[version] for version in versions.tolist()])
    assert window.mean_surprise() == pytest.approx(surprise.mean())
    expected = surprise_share * surprise / surprise.sum() + (1 - surprise_share) / len(window)
    assert np.corrcoef(share, expected)[0, 1] > 0.99
    np.testing.assert_allclose(share, expected, atol=0.0005)


def test_without_any_surprise_all_are_alike() -> None:
    window, _ = numbered_window(SamplingConfig(kind="surprise"), surprise=0.0)
    _, share = frequencies(window)
    np.testing.assert_allclose(share * len(window), 1, atol=0.15)


def test_a_ring_filled_again_draws_the_same() -> None:
    games = stored_games(SMALL, 80)
    old, new = Window(SMALL, 200), Window(SMALL, 200)
    for game in games:
        old.extend([game])
    new.extend(games[20:])
    one, other = old.sample(500, np.random.default_rng(4)), new.sample(500, np.random.default_rng(4))
    assert (len(old), old.games) == (len(new), new.games)
    assert rows_of(one) == rows_of(other)


def test_batches_own_their_arrays() -> None:
    window = Window(SMALL, 200, UNIFORM)
    window.extend(stored_games(SMALL, 5))
    first = window.sample(64, np.random.default_rng(1))
    before = rows_of(first)
    window.sample(64, np.random.default_rng(2))
    window.extend(stored_games(SMALL, 60, seed=9))
    assert rows_of(first) == before
    assert {field.name for field in fields(first)} >= {"policy", "stage"}


def test_games_without_policies_pass_through() -> None:
    random = np.random.default_rng(0)
    window = Window(SMALL, 10, UNIFORM)
    window.extend([random_game(SMALL, "a/1", random, opening=25), *stored_games(SMALL, 1)])
    assert len(window) > 0
    assert len(window.sample(8, random)) == 8


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "new"}, "sampling 'new'"),
        ({"surprise_share": 2}, "surprise_share 2"),
        ({"sharpness": 0}, "sharpness 0"),
    ],
)
def test_values_out_of_range_are_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        SamplingConfig(**values)
