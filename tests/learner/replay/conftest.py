from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from learner.replay.pool.redis_server import RedisServer
from tests.learner.replay.servers import UsersServer


@pytest.fixture(autouse=True)
def connections_end_with_their_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close what tests leave open; else a later collection of garbage warns of sockets, in whatever test it falls."""
    made: list[Redis] = []
    from_url = Redis.from_url

    def recorded(*arguments: object, **options: object) -> Redis:
        made.append(from_url(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(Redis, "from_url", recorded)
    yield
    for client in made:
        client.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A real server for tests that neither kill nor fill it; each uses a pool name of its own."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., RedisServer]]:
    """Starts servers that belong to one test."""
    started: list[RedisServer] = []

    def start(*, maxmemory: int = 0) -> RedisServer:
        started.append(UsersServer(tmp_path / f"redis{len(started)}", maxmemory=maxmemory))
        started[-1].start()
        return started[-1]

    yield start
    for server in started:
        server.stop()
