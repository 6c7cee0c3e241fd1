"""The promises of every replay pool, on each of them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gobang.errors import InvalidGame
from learner.replay.pool.codec import trainable_positions
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.redis_pool import RedisPool
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.replay_pool import START, ReplayPool
from tests.learner.replay.games import SMALL, same, stored_games

LIMITER = LimiterConfig(
    samples_per_position=2.0, early_samples_per_position=2.0, early_positions=0, minimum=20, tolerance=60
)
GAMES = stored_games(SMALL, 30)
POSITIONS = [trainable_positions(game) for game in GAMES]
Make = Callable[..., ReplayPool]


@pytest.fixture(params=["memory", "redis"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes pools of one kind, the first of them empty."""

    def make_pool(*, keep: int = 1_000_000) -> ReplayPool:
        if request.param == "memory":
            return MemoryPool(SMALL, limiter=LIMITER, keep=keep)
        server: RedisServer = request.getfixturevalue("server")
        return RedisPool(server.local_url, SMALL, name=request.node.name, limiter=LIMITER, keep=keep)

    return make_pool


def test_games_come_out_whole_in_order_and_once(make: Make) -> None:
    pool = make()
    assert [pool.add(game) for game in GAMES] == [True] * 30
    assert [pool.add(game) for game in GAMES] == [False] * 30
    first = pool.read_since(START, 20)
    rest = pool.read_since(first.cursor, 20)
    assert (len(first.games), len(rest.games)) == (20, 10)
    assert all(map(same, first.games + rest.games, GAMES))
    nothing = pool.read_since(rest.cursor, 20)
    assert (nothing.games, nothing.cursor) == ([], rest.cursor)


def test_each_actor_has_its_own_numbers_and_may_leave_some_out(make: Make) -> None:
    pool = make()
    ids = ["a/5", "b/5", "a/9", "a/7", "b/5", "a/b/1"]
    assert [pool.add(replace(GAMES[0], id=game_id)) for game_id in ids] == [True, True, True, False, False, True]


def test_counters_count_positions_with_a_policy(make: Make) -> None:
    pool = make()
    for game in GAMES[:5]:
        pool.add(game)
    counters = pool.counters()
    assert (counters.games, counters.positions) == (5, sum(POSITIONS[:5]))
    assert (counters.sampled, counters.quarantined) == (0, 0)


def test_games_of_a_version_that_does_not_exist_yet_are_put_aside(make: Make) -> None:
    pool = make()
    games = [replace(game, version=np.zeros_like(game.version)) for game in GAMES[:5]]
    games[2].version[-1] = 9
    for game in games:
        pool.add(game)
    read = pool.read_since(START, 4, newest=8)
    assert [game.id for game in read.games] == [GAMES[0].id, GAMES[1].id, GAMES[3].id]
    assert [each.reason for each in read.rejected] == [f"{GAMES[2].id}: played by version 9, but 8 is the newest"]
    assert [game.id for game in pool.read_since(read.cursor, 4).games] == [GAMES[4].id]
    assert pool.counters().quarantined == 1
    assert len(pool.read_since(START, 5, newest=9).games) == 5


def test_old_games_leave_and_readers_behind_are_told_how_many(make: Make) -> None:
    pool = make(keep=100)
    for game in GAMES[:2]:
        pool.add(game)
    behind = pool.read_since(START, 1).cursor
    for game in GAMES[2:]:
        pool.add(game)
    stored = pool.read_since(START, 100)
    kept = len(stored.games)
    assert sum(POSITIONS[-kept:]) <= 100 < sum(POSITIONS[-kept - 1 :])
    assert stored.missed == 0
    late = pool.read_since(behind, 100)
    assert (late.missed, len(late.games)) == (30 - kept - 1, kept)
    assert pool.read_since(late.cursor, 100).missed == 0


def test_several_readers_do_not_disturb_each_other(make: Make) -> None:
    pool = make()
    one = two = START
    for game in GAMES[:6]:
        pool.add(game)
        read = pool.read_since(one, 10)
        one = read.cursor
        assert [found.id for found in read.games] == [game.id]
    assert len(pool.read_since(two, 10).games) == 6


def test_both_sides_wait_for_each_other(make: Make) -> None:
    pool = make()
    assert pool.has_room()
    assert not pool.take_samples(10)
    added = 0
    while pool.has_room():
        pool.add(GAMES[added])
        added += 1
    inserted = sum(POSITIONS[:added])
    assert 2 * (inserted - 20) > 120 >= 2 * (inserted - POSITIONS[added - 1] - 20)
    taken = 0
    while pool.take_samples(10):
        taken += 10
    assert taken == (2 * (inserted - 20) + 120) // 10 * 10 == pool.counters().sampled
    assert pool.has_room()


def test_a_game_that_cannot_be_stored_leaves_no_trace(make: Make) -> None:
    pool = make()
    with pytest.raises(InvalidGame):
        pool.add(replace(GAMES[0], id="nameless"))
    assert pool.counters().games == 0
