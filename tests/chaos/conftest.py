import pytest

from learner.replay.pool.redis_server import RedisServer


@pytest.fixture
def server(tmp_path):
    server = RedisServer(tmp_path / "redis")
    server.start()
    yield server
    server.stop()
