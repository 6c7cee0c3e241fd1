import os
import pickle
import signal
import socket
import threading
import tracemalloc
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from gobang.errors import PoolUnavailable
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.codec import encode, trainable_positions
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.redis_pool import RedisPool, RedisPoolFactory, connect
from learner.replay.pool.redis_scripts import QUARANTINE_ENTRIES
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.replay_pool import START
from tests.learner.replay.games import SMALL, same, stored_games
from tests.learner.replay.proxies import certificate, proxy, tls
from tests.small_disk import SmallDisk

GAMES = stored_games(SMALL, 10)
EAGER = LimiterConfig(minimum=1)
StartServer = Callable[..., RedisServer]


@pytest.fixture
def pool(server: RedisServer, request: pytest.FixtureRequest) -> RedisPool:
    return RedisPool(server.local_url, SMALL, name=request.node.name)


def write_often(factory: RedisPoolFactory, writer: int, times: int) -> int:
    """Send the same game many times, with one of one's own in between; how often the same was taken."""
    pool = factory()
    taken = 0
    for number in range(times):
        taken += pool.add(GAMES[0])
        pool.add(replace(GAMES[1], id=f"writer{writer}/{number}"))
    return taken


def write_from_processes(server: RedisServer, name: str, writers: int, times: int) -> None:
    factory = RedisPoolFactory(url=server.url, variant=SMALL, name=name)
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with context.Pool(writers) as processes:
        taken = processes.starmap(write_often, [(factory, writer, times) for writer in range(writers)], chunksize=1)
    assert sum(taken) == 1
    found = [game.id for game in factory().read_since(START, 10_000).games]
    assert len(found) == len(set(found)) == 1 + writers * times
    assert factory().counters().positions == trainable_positions(GAMES[0]) + writers * times * trainable_positions(
        GAMES[1]
    )


def test_a_game_sent_100_times_by_8_processes_is_stored_once(server: RedisServer) -> None:
    write_from_processes(server, "eight", writers=8, times=100)


@dataclass
class Turns:
    """Lets the writers write so many games, and tells of those stored and of failures."""

    permits: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    stored: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    failures: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    up: threading.Event = field(default_factory=threading.Event)


def write_until_acknowledged(server: RedisServer, turns: Turns, actor: str) -> None:
    """Store 40 games, sending each again until it is acknowledged."""
    pool = RedisPool(server.local_url, SMALL, name="kill")
    for number in range(40):
        assert turns.permits.acquire(timeout=20)
        while not try_to_add(pool, replace(GAMES[number % 10], id=f"{actor}/{number}")):
            turns.failures.release()
            assert turns.up.wait(20)
        turns.stored.release()


def try_to_add(pool: RedisPool, game: SelfPlayGame) -> bool:
    try:
        pool.add(game)
    except PoolUnavailable:
        return False
    return True


def kill_while_writing(server: RedisServer, *, kills: int) -> None:
    """Four threads write 160 games; the server is killed at even intervals, each time while they write."""
    turns, share = Turns(), 160 // (kills + 1) - 4
    with ThreadPoolExecutor(4) as executor:
        writers = [executor.submit(write_until_acknowledged, server, turns, f"actor{i}") for i in range(4)]
        for _ in range(kills):
            turns.permits.release(share)
            for _ in range(share // 2):
                assert turns.stored.acquire(timeout=20)
            assert server.pid is not None
            turns.up.clear()
            os.kill(server.pid, signal.SIGKILL)
            turns.permits.release(4)  # somebody is there to notice, even if all have written
            assert turns.failures.acquire(timeout=20)
            while not server.ensure_running():
                pass
            turns.up.set()
        turns.permits.release(160)
        for writer in writers:
            writer.result()


def test_a_server_killed_while_four_threads_write_loses_nothing_and_doubles_nothing(start_server: StartServer) -> None:
    server = start_server()
    kill_while_writing(server, kills=3)
    pool = RedisPool(server.url, SMALL, name="kill")
    read = pool.read_since(START, 1000)
    assert sorted(game.id for game in read.games) == sorted(f"actor{i}/{n}" for i in range(4) for n in range(40))
    assert (read.missed, read.rejected, pool.counters().games) == (0, [], 160)
    assert all(same(replace(game, id=""), replace(GAMES[int(game.id[7:]) % 10], id="")) for game in read.games)


def test_games_that_a_killed_server_had_only_acknowledged_are_sent_again(start_server: StartServer) -> None:
    server = start_server()
    pool, other = RedisPool(server.local_url, SMALL), RedisPool(server.local_url, SMALL)
    file = server.directory / "appendonly.aof"
    assert pool.add(GAMES[0])
    while encode(GAMES[0]) not in file.read_bytes():
        pass  # a server that waits for its disk answers before it writes
    size = file.stat().st_size
    assert all(pool.add(game) for game in GAMES[1:3])
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    os.truncate(file, size)
    while not server.ensure_running():
        pass
    assert other.counters().games == 1
    assert pool.add(GAMES[3])
    read = other.read_since(START, 10)
    assert all(map(same, read.games, GAMES[:4]))
    assert len(read.games) == other.counters().games == 4


@pytest.mark.heavy
def test_a_server_killed_again_and_again_loses_nothing(start_server: StartServer) -> None:
    server = start_server()
    for _ in range(10):
        kill_while_writing(server, kills=12)
        pool = RedisPool(server.url, SMALL, name="kill")
        assert len({game.id for game in pool.read_since(START, 1000).games}) == 160 == pool.counters().games
        connect(server.url).flushall()


def fill(pool: RedisPool, actor: str) -> int:
    """Add large games until the server refuses; how many it took."""
    game = stored_games(LARGE, 1)[0]
    for number in range(10_000):
        try:
            assert pool.add(replace(game, id=f"{actor}/{number}"))
        except PoolUnavailable:
            return number
    raise AssertionError("it takes more than fits")


LARGE = Variant.square(22)


def test_a_full_server_says_so_keeps_what_it_has_and_goes_on_with_more_room(start_server: StartServer) -> None:
    server = start_server(maxmemory=4_000_000)
    pool = RedisPool(server.url, LARGE, limiter=EAGER)
    stored = fill(pool, "a")
    before = pool.counters()
    assert stored == before.games == len(pool.read_since(START, 1000).games) > 10
    with pytest.raises(PoolUnavailable, match="full"):
        pool.add(stored_games(LARGE, 1, actor="b")[0])
    assert pool.counters() == before
    connect(server.url).config_set("maxmemory", 0)
    assert pool.add(stored_games(LARGE, 1, actor="b")[0])
    assert pool.counters().games == stored + 1


def test_a_full_server_takes_games_again_once_fewer_are_to_be_kept(start_server: StartServer) -> None:
    server = start_server(maxmemory=4_000_000)
    stored = fill(RedisPool(server.url, LARGE, limiter=EAGER), "a")
    games = stored_games(LARGE, 1, actor="b")
    positions = trainable_positions(games[0])
    pool = RedisPool(server.url, LARGE, limiter=EAGER, keep=positions * stored // 2)
    for number in range(2 * stored):
        assert pool.add(replace(games[0], id=f"b/{number}"))
    read = pool.read_since(START, 10_000)
    assert [game.id for game in read.games] == [
        f"b/{number}" for number in range(2 * stored - len(read.games), 2 * stored)
    ]
    assert stored // 2 - 1 <= len(read.games) <= stored // 2
    assert pool.counters().games == 3 * stored


def test_learners_go_on_while_the_server_is_full(start_server: StartServer) -> None:
    server = start_server(maxmemory=4_000_000)
    pool = RedisPool(server.url, LARGE, limiter=EAGER)
    fill(pool, "a")
    assert pool.take_samples(100)
    assert pool.take_samples(100)
    assert pool.counters().sampled == 200
    connect(server.url).config_set("maxmemory", 0)
    assert pool.take_samples(100)
    assert RedisPool(server.url, LARGE).counters().sampled == 300


def test_samples_that_a_full_server_did_not_count_are_counted_though_no_more_may_be_drawn(
    start_server: StartServer,
) -> None:
    server = start_server()
    strict = LimiterConfig(
        samples_per_position=0.1, early_samples_per_position=0.1, early_positions=0, minimum=1, tolerance=20
    )
    pool, redis = RedisPool(server.url, SMALL, limiter=strict), connect(server.url)
    for game in GAMES:
        pool.add(game)
    redis.config_set("maxmemory", 1)
    drawn = sum(pool.take_samples(1) for _ in range(pool.counters().positions))
    assert drawn > 0
    assert RedisPool(server.url, SMALL).counters().sampled == 0
    redis.config_set("maxmemory", 0)
    assert not pool.take_samples(1)
    assert RedisPool(server.url, SMALL).counters().sampled == drawn


def test_garbage_goes_to_the_quarantine_and_good_games_are_read(server: RedisServer, pool: RedisPool) -> None:
    name = "test_garbage_goes_to_the_quarantine_and_good_games_are_read:games"
    redis = connect(server.url)
    pool.add(GAMES[0])
    redis.xadd(name, {"anything": "at all"})
    redis.xadd(name, {"n": "x" * 99, "b": "", "g": encode(GAMES[1])[:-1]})
    pool.add(GAMES[1])
    redis.xadd(name, {"n": "3", "b": "1", "g": encode(stored_games(Variant.square(6), 1)[0])})
    pool.add(GAMES[2])
    read = pool.read_since(START, 100)
    assert [game.id for game in read.games] == [game.id for game in GAMES[:3]]
    assert [entry.reason[:12] for entry in read.rejected] == ["no msgpack o", "no msgpack o", "a game of [6"]
    assert read.missed == 0
    assert pool.read_since(START, 100).rejected == read.rejected
    (kept,) = {entry.kept.removesuffix(f" of redis at {pool.address}") for entry in read.rejected}
    quarantine = redis.xrange(kept)
    assert [fields[b"reason"].decode() for _, fields in quarantine] == [entry.reason for entry in read.rejected]
    assert quarantine[0][1][b"content"] == b"anything at all"
    assert pool.counters().quarantined == 3


def test_entries_too_large_for_a_game_are_dropped_and_counted_without_being_read(start_server: StartServer) -> None:
    server = start_server()
    pool, redis = RedisPool(server.local_url, SMALL, name="large"), connect(server.url)
    redis.config_set("proto-max-bulk-len", 100_000_000)  # as a server of the user's has it
    pool.add(GAMES[0])
    for part in (b"x", b"y"):
        redis.xadd("large:games", {"n": "2", "g": part * 30_000_000})
    redis.xadd("large:games", {str(number): "many" for number in range(50_000)})
    pool.add(GAMES[1])
    tracemalloc.start()
    newest, reads = pool.newest(1), [pool.read_since(START, 100)]
    while reads[-1].games or reads[-1].rejected:
        reads.append(pool.read_since(reads[-1].cursor, 100))
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    assert [game.id for each in reads for game in each.games] == [game.id for game in GAMES[:2]]
    assert [game.id for game in newest] == [GAMES[1].id]
    assert [entry.reason[:14] for each in reads for entry in each.rejected] == ["30000003 bytes"] * 2 + [
        "438890 bytes: "
    ]
    assert (pool.counters().quarantined, redis.xlen("large:games")) == (3, 2)
    assert max(len(fields[b"content"]) for _, fields in redis.xrange("large:quarantine")) < 2_000


def test_the_quarantine_is_bounded(server: RedisServer) -> None:
    pool, redis = RedisPool(server.url, SMALL, name="bounded"), connect(server.url)
    pipeline = redis.pipeline()
    for number in range(4 * QUARANTINE_ENTRIES):
        pipeline.xadd("bounded:games", {"g": bytes([number % 256])})
    pipeline.execute()
    assert len(pool.read_since(START, 1000).rejected) == 4 * QUARANTINE_ENTRIES == pool.counters().quarantined
    assert QUARANTINE_ENTRIES <= redis.xlen("bounded:quarantine") <= 2 * QUARANTINE_ENTRIES


def test_garbage_does_not_stop_old_games_from_leaving(server: RedisServer) -> None:
    pool, redis = RedisPool(server.url, SMALL, name="leaving", keep=60), connect(server.url)
    for number, game in enumerate(GAMES):
        redis.xadd("leaving:games", {"junk": str(number)})
        pool.add(game)
    kept = len(pool.read_since(START, 100).games)
    positions = [trainable_positions(game) for game in GAMES]
    assert sum(positions[-kept:]) <= 60 < sum(positions[-kept - 1 :])
    assert redis.xlen("leaving:games") <= 2 * kept + 1


def test_a_lost_server_is_named_without_its_password_and_found_again(start_server: StartServer) -> None:
    server = start_server()
    pool = RedisPool(server.url, SMALL)
    pool.add(GAMES[0])
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    for call in (pool.has_room, pool.counters, lambda: pool.add(GAMES[1]), lambda: pool.read_since(START, 1)):
        with pytest.raises(PoolUnavailable, match=r"redis at redis://127\.0\.0\.1:\d+/0: ") as caught:
            call()
        assert server.url.split("@")[0][9:] not in str(caught.value)
    while not server.ensure_running():
        pass
    assert pool.add(GAMES[1])
    assert pool.counters().games == 2


def test_a_server_is_reached_through_tls_if_its_certificate_is_trusted(server: RedisServer, tmp_path: Path) -> None:
    trusted, user = certificate(tmp_path), server.url.split("@")[0].replace("redis://", "rediss://")
    with proxy(server, encrypted=tls(trusted)) as port:
        url = f"{user}@127.0.0.1:{port}/0"
        pool = RedisPool(f"{url}?ssl_ca_certs={trusted}", SMALL, name="encrypted")
        assert pool.add(GAMES[0])
        assert RedisPool(server.url, SMALL, name="encrypted").counters().games == 1
        with pytest.raises(PoolUnavailable, match="certificate verify failed"):
            RedisPool(url, SMALL).has_room()
        with pytest.raises(PoolUnavailable):
            RedisPool(url.replace("rediss", "redis"), SMALL).has_room()
        pool.close()


def test_a_wrong_password_is_said(server: RedisServer) -> None:
    with pytest.raises(PoolUnavailable, match="password"):
        RedisPool(f"redis://:wrong@{server.url.split('@')[1]}", SMALL).has_room()


def test_the_factory_travels_and_hides_the_password(server: RedisServer) -> None:
    factory = RedisPoolFactory(url=server.local_url, variant=SMALL, name="travel", limiter=EAGER, keep=50)
    copy = pickle.loads(pickle.dumps(factory))
    assert copy == factory
    assert server.local_url not in repr(factory)
    assert copy().add(GAMES[0])
    assert factory().counters().games == 1


def add_all(pool: RedisPool, waiting: deque[SelfPlayGame]) -> None:
    while waiting:
        assert pool.add(waiting[0])
        waiting.popleft()


def start_again(server: RedisServer) -> None:
    while not server.ensure_running():  # a server that was just killed may not be dead yet
        pass


def test_a_full_disk_costs_no_game_and_no_server_even_one_that_is_killed_on_it(small_disk: SmallDisk) -> None:
    server = RedisServer(small_disk.place / "redis")
    server.start()
    try:
        pool, pid = RedisPool(server.local_url, SMALL, name="full"), server.pid
        games = stored_games(SMALL, 100)
        waiting = deque(games)
        pool.add(waiting.popleft())
        small_disk.fill()
        with pytest.raises(PoolUnavailable, match="No space left"):
            add_all(pool, waiting)
        assert 1 < len(waiting) < len(games) - 1
        assert not server.ensure_running()  # it lives, and what it has not written yet with it
        assert server.pid == pid is not None
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(PoolUnavailable, match="No space left"):
            start_again(server)
        small_disk.free()
        assert server.ensure_running()
        add_all(pool, waiting)
        assert [game.id for game in pool.read_since(START, 1000).games] == [game.id for game in games]
        pool.close()
    finally:
        server.stop()


def test_a_false_server_whose_answer_never_ends_is_none(tmp_path: Path) -> None:
    place = tmp_path / "redis.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()

        def answer() -> None:
            with listener.accept()[0] as connected:
                connected.recv(1000)
                connected.sendall(b"*1\r\n" * 5000)

        server = threading.Thread(target=answer)
        server.start()
        with pytest.raises(PoolUnavailable, match="what answers is no Redis server"):
            RedisPool(f"unix://:word@{place}", SMALL).newest(3)
        server.join()
