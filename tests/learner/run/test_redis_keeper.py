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


def test_a_killed_server_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_keeper, "LOOK_SECONDS", 0.01)
    said, heard = [], threading.Event()

    def say(event: str) -> None:
        said.append(event)
        heard.set()

    server, made_ready = RedisServer(tmp_path / "redis"), threading.Semaphore(0)
    keeper = RedisKeeper(server, made_ready.release, say)
    keeper.start()
    assert made_ready.acquire(blocking=False)
    assert keeper.server.pid is not None
    os.kill(keeper.server.pid, signal.SIGKILL)
    assert heard.wait(20)
    assert connect(keeper.server.url).ping()
    assert made_ready.acquire(timeout=20)
    keeper.stop()
    assert (said, keeper.restarts) == (["redis-server was gone and is started again"], 1)
    assert keeper.server.pid is None


def test_a_start_that_failed_can_be_stopped(tmp_path: Path) -> None:
    first, second = (RedisKeeper(RedisServer(tmp_path / "redis"), lambda: None, print) for _ in range(2))
    first.start()
    with pytest.raises(PoolUnavailable, match="another launcher"):
        second.start()
    second.stop()
    first.stop()


def test_a_server_that_dies_on_a_full_disk_comes_back_by_itself(
    small_disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_keeper, "LOOK_SECONDS", 0.01)
    said: queue.Queue[str] = queue.Queue()
    keeper = RedisKeeper(RedisServer(small_disk.place / "redis"), said.put)
    keeper.start()
    assert keeper.server.pid is not None
    small_disk.fill()
    os.kill(keeper.server.pid, signal.SIGKILL)
    assert "No space left on device; it is tried again" in said.get(timeout=20)
    small_disk.free()
    assert said.get(timeout=20) == "redis-server was gone and is started again"
    assert connect(keeper.server.url).ping()
    keeper.stop()
    assert said.empty()
