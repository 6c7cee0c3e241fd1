"""Redis servers for tests."""

from learner.replay.pool.redis_server import RedisServer


class UsersServer(RedisServer):
    """A server as users run one, who may change its settings."""

    forbidden = ()
