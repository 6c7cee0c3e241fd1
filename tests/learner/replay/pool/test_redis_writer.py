"""Actors store games in Redis, and can do nothing else there, whatever they send."""

import os
import pickle
import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from redis.exceptions import NoPermissionError, ResponseError

from gobang.errors import PoolUnavailable
from learner.replay.pool.codec import encode
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.redis_claim import PoolClaim, pool_name
from learner.replay.pool.redis_pool import RedisPool, connect
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.redis_writer import RedisWriter, Writers
from learner.replay.pool.replay_pool import START
from tests.learner.replay.games import SMALL, same, stored_games

GAMES = stored_games(SMALL, 8)
EAGER = LimiterConfig(minimum=1)
StartServer = Callable[..., RedisServer]


@dataclass
class Pool:
    """The pool of a run, as its launcher, its learner and one of its actors have it."""

    server: RedisServer
    name: str
    claim: PoolClaim
    writers: Writers
    owner: RedisPool
    actor: RedisWriter
    said: list[str]

    def actor_sends(self, *words: Any) -> Any:
        """The answer to a command of somebody who has taken an actor over."""
        client: Any = connect(self.writers.factory(self.server.url, EAGER).url)
        with client:
            return client.execute_command(*words)

    def ids(self) -> list[str]:
        return [game.id for game in self.owner.read_since(START, 100).games]

    def look(self) -> None:
        self.claim.look()
        self.writers.look()

    def restart(self) -> None:
        """Kill the server, and start it again without its scripts, which Redis 7 and newer forget."""
        assert self.server.pid is not None
        os.kill(self.server.pid, signal.SIGKILL)
        while not self.server.ensure_running():
            pass
        connect(self.server.url).script_flush()


def open_pool(server: RedisServer, run: str, *, url: str = "", keep: int = 1000) -> Pool:
    said: list[str] = []
    url, name = url or server.url, pool_name('gobang-it\'s a "run" [1]*', run)
    claim = PoolClaim(url, name=name, run=run, say=said.append)
    claim.take(None)
    writers = Writers(url, name=name, run=run, keep=keep, variant=SMALL, say=said.append)
    writers.look()
    actor = pickle.loads(pickle.dumps(writers.factory(url, EAGER)))()
    owner = RedisPool(url, SMALL, name=name, run=run, limiter=EAGER, keep=keep)
    return Pool(server, name, claim, writers, owner, actor, said)


@pytest.fixture
def pool(server: RedisServer, request: pytest.FixtureRequest) -> Pool:
    return open_pool(server, f"{abs(hash(request.node.name)):x}")


def test_games_are_stored_once_and_counted(pool: Pool) -> None:
    assert [pool.actor.add(game) for game in (*GAMES, GAMES[0])] == [True] * 8 + [False]
    assert pool.actor.has_room()
    read = pool.owner.read_since(START, 100)
    assert all(map(same, read.games, GAMES))
    assert (len(read.games), read.rejected, pool.owner.counters().games) == (8, [], 8)


def test_the_limits_of_the_pool_hold_for_actors(server: RedisServer) -> None:
    pool = open_pool(server, "few", keep=30)
    for game in GAMES:
        pool.actor.add(game)
    assert 0 < len(pool.ids()) < 8
    assert pool.ids()[-1] == GAMES[-1].id


_REFUSED = r"(?i)permissions|unknown command"  # 6.2 has no functions, and some commands are switched off for all
DANGEROUS = (
    "EVAL return(1) 0",
    "SCRIPT LOAD return(1)",
    "SCRIPT FLUSH",
    "FUNCTION LIST",
    "CONFIG GET *",
    "CONFIG SET maxmemory 1",
    "ACL GETUSER default",
    "ACL LIST",
    "ACL WHOAMI",
    "CLIENT LIST",
    "CLIENT KILL TYPE normal",
    "DEBUG SLEEP 0",
    "FLUSHALL",
    "FLUSHDB",
    "INFO",
    "KEYS *",
    "SCAN 0",
    "RANDOMKEY",
    "DBSIZE",
    "SLOWLOG GET",
    "MIGRATE 127.0.0.1 1 x 0 1",
    "REPLICAOF NO ONE",
    "SAVE",
    "BGREWRITEAOF",
    "SHUTDOWN NOSAVE",
    "MODULE LIST",
    "SELECT 1",
    "SWAPDB 0 1",
    "PUBLISH x y",
    "MULTI",
)


@pytest.mark.parametrize("words", DANGEROUS)
def test_an_actor_is_refused_every_dangerous_command(pool: Pool, words: str) -> None:
    with pytest.raises(ResponseError, match=_REFUSED):
        pool.actor_sends(*words.split())


ON_KEYS = (
    "DEL {games}",
    "UNLINK {games}",
    "XTRIM {games} MAXLEN 0",
    "RENAME {games} x",
    "EXPIRE {games} 0",
    "DUMP {games}",
    "RESTORE {games} 0 x REPLACE",
    "SET {counters} x",
    "HDEL {counters} run",
    "HGETALL {counters}",
    "HINCRBY {counters} sampled 100",
    "HKEYS {actors}",
    "HSET {quarantine} a b",
)


@pytest.mark.parametrize("words", ON_KEYS)
def test_an_actor_that_knows_the_keys_is_refused_what_no_script_needs(pool: Pool, words: str) -> None:
    parts = {part: f"{pool.name}:{part}" for part in ("games", "counters", "actors", "quarantine")}
    with pytest.raises(NoPermissionError):
        pool.actor_sends(*(word.format(**parts) for word in words.split()))


@pytest.mark.parametrize("prefix", ["replay", "gobang-run", "gobang-run:", "*", ""])
@pytest.mark.parametrize(
    "words", ["XDEL {}:games 0-1", "HSET {}:actors other 9", "XADD {}:games * a b", "HGET {}:counters x"]
)
def test_an_actor_does_not_reach_a_key_that_it_can_name(pool: Pool, words: str, prefix: str) -> None:
    with pytest.raises(NoPermissionError):
        pool.actor_sends(*words.format(prefix).split())


def test_nothing_that_an_actor_is_given_names_the_keys(pool: Pool) -> None:
    factory = pool.writers.factory(pool.server.url, EAGER)
    run = pool.name.rpartition(":")[2]
    assert run.encode() not in pickle.dumps(factory)
    assert factory.url not in repr(factory)


def test_the_digests_of_other_scripts_give_an_actor_no_more(pool: Pool) -> None:
    """It may run what the launcher and the learner have loaded, but it has to name the keys for them."""
    pool.actor.add(GAMES[0])
    pool.owner.add(GAMES[1])
    owner: Any = pool.owner
    for script in (owner._add, owner._read):
        script_arguments = ("a", "1", "1", "x", "0", "") if script is owner._add else ("XRANGE", "-", "+", 9, 9, 9)
        keys = ("replay:games", "replay:counters", "replay:actors")
        connect(pool.server.url).script_load(script.script)
        with pytest.raises(ResponseError, match=r"(?i)permissions"):
            pool.actor_sends("EVALSHA", script.sha, 3, *keys, *script_arguments)
    assert len(pool.ids()) == 2


@pytest.mark.parametrize(
    ("sequence", "positions"),
    [
        ("1", "1000000000000"),  # would make all games older than what the pool keeps
        ("1", "-5"),
        ("1", "nan"),
        ("1", "1e3"),
        ("nan", "5"),
        ("-1", "5"),
        ("9" * 16, "5"),
    ],
)
def test_numbers_that_no_actor_sends_are_refused(pool: Pool, sequence: str, positions: str) -> None:
    pool.actor.add(GAMES[0])
    before = pool.owner.counters()
    digest = pool.writers.factory(pool.server.url, EAGER).add
    with pytest.raises(ResponseError, match="no number"):
        pool.actor_sends("EVALSHA", digest, 0, "a", sequence, positions, encode(GAMES[1]))
    assert (pool.ids(), pool.owner.counters()) == ([GAMES[0].id], before)


@pytest.mark.parametrize(("name", "blob"), [("n" * 1000, b"x"), ("n", b"x" * 100_000)])
def test_names_and_games_longer_than_an_actor_s_do_not_fill_the_pool(pool: Pool, name: str, blob: bytes) -> None:
    digest = pool.writers.factory(pool.server.url, EAGER).add
    with pytest.raises(ResponseError, match=r"no name|no game"):
        pool.actor_sends("EVALSHA", digest, 0, name, "1", "0", blob)
    assert pool.owner.counters().games == 0


def test_an_actor_cannot_choose_what_the_pool_keeps(pool: Pool) -> None:
    """In the launcher's script the fifth argument is the number of positions to keep."""
    pool.actor.add(GAMES[0])
    digest = pool.writers.factory(pool.server.url, EAGER).add
    game = replace(GAMES[1], id="b/1")
    pool.actor_sends("EVALSHA", digest, 0, "b", "1", "1", encode(game), "0", "")
    assert pool.ids() == [GAMES[0].id, "b/1"]


def test_after_a_restart_actors_wait_for_the_launcher_and_lose_no_game(start_server: StartServer) -> None:
    pool = open_pool(start_server(), "one")
    assert pool.actor.add(GAMES[0])
    pool.restart()
    for call in (pool.actor.has_room, lambda: pool.actor.add(GAMES[1])):
        with pytest.raises(PoolUnavailable):
            call()
    pool.look()
    assert pool.actor.has_room()
    assert pool.actor.add(GAMES[1])
    assert pool.ids() == [GAMES[0].id, GAMES[1].id]


def test_scripts_alone_that_are_gone_are_said(start_server: StartServer) -> None:
    pool = open_pool(start_server(), "one")
    assert pool.actor.add(GAMES[0])
    connect(pool.server.url).script_flush()
    with pytest.raises(PoolUnavailable, match="has started again, and its scripts are not loaded yet"):
        pool.actor.add(GAMES[1])


def test_games_that_a_killed_server_had_only_acknowledged_are_sent_again(start_server: StartServer) -> None:
    pool = open_pool(start_server(), "one")
    file = pool.server.directory / "appendonly.aof"
    if not file.exists():
        pytest.skip("Redis 7 and newer keep a folder of files")
    assert pool.actor.add(GAMES[0])
    size = file.stat().st_size
    assert all(pool.actor.add(game) for game in GAMES[1:3])
    assert pool.server.pid is not None
    os.kill(pool.server.pid, signal.SIGKILL)
    os.truncate(file, size)
    while not pool.server.ensure_running():
        pass
    pool.look()
    assert pool.actor.add(GAMES[3])
    assert pool.ids() == [game.id for game in GAMES[:4]]


def test_a_pool_that_was_emptied_takes_nothing_until_it_is_looked_at(start_server: StartServer) -> None:
    pool = open_pool(start_server(), "one")
    connect(pool.server.url).flushall()
    for call in (pool.actor.has_room, lambda: pool.actor.add(GAMES[0])):
        with pytest.raises(PoolUnavailable, match="does not hold the games of this run"):
            call()
    pool.look()
    assert pool.actor.add(GAMES[0])


def test_the_user_leaves_with_the_run(start_server: StartServer) -> None:
    pool = open_pool(start_server(), "one")
    administrator: Any = connect(pool.server.url)
    assert len(administrator.acl_users()) == 2
    pool.writers.close()
    assert administrator.acl_users() == ["default"]


def test_a_server_whose_user_may_make_no_other_is_used_with_a_warning(start_server: StartServer) -> None:
    server = start_server()
    rights = "-@all +evalsha +script|load +script|exists +hset +hget +hmget +hdel +hincrby"
    streams = "+xadd +xdel +xlen +xrange +xrevrange"
    words = ["ACL", "SETUSER", "own", "on", ">secret", "~*", *rights.split(), *streams.split()]
    administrator: Any = connect(server.url)
    administrator.execute_command(*words)
    pool = open_pool(server, "one", url=f"redis://own:secret@{server.url.partition('@')[2]}")
    pool.writers.look()
    (warning,) = pool.said
    assert warning.startswith("warning: actors use the launcher's user of redis at redis://own@127.0.0.1:")
    assert "secret" not in warning
    assert pool.actor.add(GAMES[0])
    assert pool.ids() == [GAMES[0].id]
    pool.writers.close()


def test_a_pool_from_before_there_were_identities_is_taken_over(start_server: StartServer) -> None:
    server = start_server()
    RedisPool(server.url, SMALL, name="gobang-run").add(GAMES[0])
    new = PoolClaim(server.url, name=pool_name("gobang-run", "one"), run="one", say=print)
    new.adopt("gobang-run")
    assert RedisPool(server.url, SMALL, name=pool_name("gobang-run", "one")).counters().games == 1


def test_a_pool_of_an_earlier_version_is_taken_over_with_its_games(start_server: StartServer) -> None:
    server = start_server()
    PoolClaim(server.url, name="gobang-run", run="one", say=print).take(None)
    for game in GAMES[:3]:
        RedisPool(server.url, SMALL, name="gobang-run", run="one").add(game)
    PoolClaim(server.url, name=pool_name("gobang-run", "two"), run="two", say=print).adopt("gobang-run")
    new = PoolClaim(server.url, name=pool_name("gobang-run", "one"), run="one", say=print)
    for name in ("gobang-run", "gobang-other", "gobang-run"):
        new.adopt(name)
    counted = RedisPool(server.url, SMALL, name=pool_name("gobang-run", "one")).counters()
    new.take(counted)
    assert counted.games == 3
    keys: Any = connect(server.url).keys()
    assert {key.decode() for key in keys} == {f"gobang-run:one:{part}" for part in ("games", "counters", "actors")}
