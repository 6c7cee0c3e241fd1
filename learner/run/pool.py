"""The replay pool of a run: a redis-server that the run starts, or one of the user's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gobang.errors import PoolUnavailable
from gobang.run_folder import RunFolder
from learner.replay.pool.redis_pool import RedisPool, RedisPoolFactory
from learner.replay.pool.redis_server import LOOPBACK, RedisServer
from learner.run.cluster import Cluster
from learner.run.config import RunConfig
from learner.run.redis_keeper import RedisKeeper


class RunPool:
    """Opens the pool in any process, and keeps the server behind it, if it is the run's own.

    pool = RunPool(config, folder, cluster, url=None, say=print)
    pool.start(may_hold_games=False)
    make_sink = pool.opener(node)
    pool.stop()
    """

    def __init__(
        self, config: RunConfig, folder: RunFolder, cluster: Cluster, *, url: str | None, say: Callable[[str], None]
    ) -> None:
        """`url` is that of a server of the user's."""
        self._cluster, self._url = cluster, url
        self._server = RedisServer(
            folder.redis,
            host=cluster.here.host if cluster.is_shared else LOOPBACK,  # in reach of other nodes if there may be some
            maxmemory=config.replay.megabytes << 20,
        )
        self._keeper = None if url else RedisKeeper(self._server, say)
        self._config = config
        self._opened: RedisPool | None = None

    def start(self, *, may_hold_games: bool) -> None:
        """Make the pool ready; PoolUnavailable if it holds games of another run."""
        if self._keeper:
            self._keeper.start()
        self._opened = self.opener(self._cluster.here.id)()
        if self._opened.counters().games and not may_hold_games:
            name = self._cluster.namespace
            raise PoolUnavailable(f"{self._opened.address} holds games under the name {name}: choose another --run")

    def opener(self, node: str) -> RedisPoolFactory:
        """Opens the pool in a process on a node: through a local socket on this one, by TCP elsewhere."""
        replay, is_here = self._config.replay, node == self._cluster.here.id
        here = RedisPoolFactory(
            url=self._url or self._server.local_url,
            variant=self._config.game,
            name=self._cluster.namespace,
            limiter=replay.limiter,
            keep=replay.keep,
        )
        return here if is_here or self._url else replace(here, url=self._server.url)

    @property
    def restarts(self) -> int:
        """Number of times that the run's own server had to be started again."""
        return self._keeper.restarts if self._keeper else 0

    def stop(self) -> None:
        """Save, and end the server; also after a start that failed."""
        if self._opened:
            self._opened.close()
        if self._keeper:
            self._keeper.stop()
