import pytest

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_claim import PoolClaim
from learner.replay.pool.redis_pool import RedisPool, connect
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.replay_pool import START, PoolCounters
from tests.learner.replay.games import SMALL, stored_games

GAMES = stored_games(SMALL, 6)
BEFORE = PoolCounters(games=40, positions=400, sampled=1600, quarantined=2, lost=1)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return request.node.name


def claim_of(server: RedisServer, name: str, run: str, said: list[str]) -> PoolClaim:
    return PoolClaim(server.local_url, name=name, run=run, say=said.append)


def keys(name: str, *parts: str) -> list[str]:
    return [f"{name}:{part}" for part in parts]


def test_the_pool_of_another_run_is_refused_with_what_to_do(server: RedisServer, name: str) -> None:
    claim_of(server, name, "one", []).take(None)
    for before in (None, BEFORE):
        with pytest.raises(PoolUnavailable, match=f"another run under the name {name}: .*redis-cli DEL {name}:games"):
            claim_of(server, name, "two", []).take(before)
    claim_of(server, name, "one", []).take(BEFORE)


def test_games_of_nobody_are_refused_to_a_new_run_and_left_to_one_that_goes_on(server: RedisServer, name: str) -> None:
    RedisPool(server.url, SMALL, name=name).add(GAMES[0])
    with pytest.raises(PoolUnavailable, match="choose another --run"):
        claim_of(server, name, "one", []).take(None)
    said: list[str] = []
    claim_of(server, name, "one", said).take(BEFORE)
    pool = RedisPool(server.url, SMALL, name=name, run="one")
    assert pool.add(GAMES[1])
    assert (pool.counters().games, pool.counters().lost, said) == (2, 0, [])


def test_a_pool_found_empty_is_told_and_counts_on(server: RedisServer, name: str) -> None:
    said: list[str] = []
    claim_of(server, name, "one", said).take(BEFORE)
    pool = RedisPool(server.url, SMALL, name=name, run="one")
    assert pool.counters() == BEFORE
    pool.add(GAMES[0])
    assert pool.counters().games == 41
    (line,) = said
    assert f"holds none of the 40 games of {name}" in line


def test_a_flushed_pool_is_away_until_it_is_looked_at_and_then_counts_what_is_gone(
    server: RedisServer, name: str
) -> None:
    said: list[str] = []
    claim, pool = claim_of(server, name, "one", said), RedisPool(server.url, SMALL, name=name, run="one")
    claim.take(None)
    for game in GAMES[:4]:
        pool.add(game)
    cursor = pool.read_since(START, 2).cursor
    claim.look()
    before = pool.counters()
    connect(server.url).delete(*keys(name, "games", "counters", "actors"))
    for call in (pool.counters, pool.has_room, lambda: pool.take_samples(1), lambda: pool.add(GAMES[4])):
        with pytest.raises(PoolUnavailable, match="does not hold the games of this run"):
            call()
    claim.look()
    assert pool.add(GAMES[4])
    claim.look()
    after = pool.counters()
    assert (before.lost, after.lost, after.games) == (0, 4, 5)
    assert after.positions > before.positions
    (line,) = said
    assert "4 games are gone" in line
    read = pool.read_since(cursor, 10)
    assert ([game.id for game in read.games], read.missed) == ([GAMES[4].id], 2)


@pytest.mark.parametrize(("gone", "lost"), [("games", 3), ("counters", 0)])
def test_evicted_games_are_counted_and_evicted_counters_put_back(
    server: RedisServer, name: str, gone: str, lost: int
) -> None:
    said: list[str] = []
    claim, pool = claim_of(server, name, "one", said), RedisPool(server.url, SMALL, name=name, run="one", keep=60)
    claim.take(None)
    for game in GAMES[:3]:
        pool.add(game)
    claim.look()
    before = pool.counters()
    connect(server.url).delete(*keys(name, gone))
    claim.look()
    claim.look()
    assert (pool.counters().games, pool.counters().positions) == (before.games, before.positions)
    assert (pool.counters().lost, len(said)) == (lost, int(lost > 0))
    for game in GAMES[3:]:
        assert pool.add(game)
    claim.look()
    assert pool.counters().lost == lost


def test_games_that_the_pool_drops_by_itself_are_not_counted(server: RedisServer, name: str) -> None:
    said: list[str] = []
    claim, pool = claim_of(server, name, "one", said), RedisPool(server.url, SMALL, name=name, run="one", keep=20)
    claim.take(None)
    for number, game in enumerate(GAMES):
        pool.add(game)
        connect(server.url).xadd(f"{name}:games", {"junk": str(number)})
    claim.look()
    assert len(pool.read_since(START, 10).games) < len(GAMES)
    assert (pool.counters().lost, said) == (0, [])


def test_a_pool_without_games_is_given_up(server: RedisServer, name: str) -> None:
    claim = claim_of(server, name, "one", [])
    claim.take(None)
    claim.release()
    other = claim_of(server, name, "two", [])
    other.take(None)
    RedisPool(server.url, SMALL, name=name, run="two").add(GAMES[0])
    other.release()
    with pytest.raises(PoolUnavailable):
        claim_of(server, name, "one", []).take(None)


def test_a_pool_that_is_behind_its_run_is_emptied_and_counts_on(server: RedisServer, name: str) -> None:
    claim_of(server, name, "one", []).take(None)
    pool = RedisPool(server.url, SMALL, name=name, run="one")
    pool.add(GAMES[0])
    said: list[str] = []
    claim_of(server, name, "one", said).take(BEFORE, is_behind=True)
    assert pool.counters() == BEFORE
    assert pool.read_since(START, 10).games == []
    assert pool.add(GAMES[0])  # nobody remembers its number
    assert [line.partition(":")[0] for line in said] == ["the run went on in one process"]
    with pytest.raises(PoolUnavailable, match="another run"):
        claim_of(server, name, "two", []).take(BEFORE, is_behind=True)
    assert pool.counters().games == 41
