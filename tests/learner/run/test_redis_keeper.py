import os
import queue
import signal
import threading
from pathlib import Path

import pytest

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_pool import connect
from learner.replay.pool.redis_server import RedisServer
from learner.run import redis_keeper
from learner.run.redis_keeper import RedisKeeper
from tests.small_disk import SmallDisk


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_keeper, "LOOK_SECONDS", 0.01)


def test_a_killed_server_is_started_again_and_what_lies_in_it_looked_after(tmp_path: Path) -> None:
    said, looked = [], threading.Semaphore(0)
    server = RedisServer(tmp_path / "redis")
    server.start()
    keeper = RedisKeeper(server, looked.release, said.append)
    keeper.start()
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    while not said:
        assert looked.acquire(timeout=20)
    assert looked.acquire(timeout=20)
    assert connect(server.url).ping()
    keeper.stop()
    server.stop()
    assert (said, keeper.restarts) == (["redis-server was gone and is started again"], 1)


def test_a_server_that_dies_on_a_full_disk_comes_back_by_itself(small_disk: SmallDisk) -> None:
    said: queue.Queue[str] = queue.Queue()
    server = RedisServer(small_disk.place / "redis")
    server.start()
    keeper = RedisKeeper(server, lambda: None, said.put)
    keeper.start()
    assert server.pid is not None
    small_disk.fill()
    os.kill(server.pid, signal.SIGKILL)
    assert "No space left on device; it is tried again" in said.get(timeout=20)
    small_disk.free()
    assert said.get(timeout=20) == "redis-server was gone and is started again"
    assert connect(server.url).ping()
    keeper.stop()
    server.stop()
    assert said.empty()


def test_what_is_wrong_is_said_once_each_time() -> None:
    problems, said = iter(["away", "away", "", "away", "full", "full"]), []
    ended = threading.Event()

    def look() -> None:
        problem = next(problems, None)
        if problem is None:
            ended.set()
        elif problem:
            raise PoolUnavailable(problem)

    keeper = RedisKeeper(None, look, said.append)
    keeper.start()
    assert ended.wait(20)
    keeper.stop()
    assert said == [f"{problem}; it is tried again until it works" for problem in ("away", "away", "full")]


def test_one_that_was_not_started_can_be_stopped() -> None:
    RedisKeeper(None, lambda: None, print).stop()
