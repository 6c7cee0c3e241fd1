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
    make_pool, make_sink = pool.opener(), pool.actor_opener(node)
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
        self._config = config
        self._opened: RedisPool | None = None
        self._keeper = None if url else RedisKeeper(self._server, lambda: self._pool().load_scripts(), say)

    def start(self, *, may_hold_games: bool) -> None:
        """Make the pool ready; PoolUnavailable if it holds games of another run."""
        if self._keeper:
            self._keeper.start()
        if self._pool().counters().games and not may_hold_games:
            name = self._cluster.namespace
            raise PoolUnavailable(f"{self._pool().address} holds games under the name {name}: choose another --run")

    def opener(self) -> RedisPoolFactory:
        """Opens the pool in a process on this node, with all rights."""
        replay = self._config.replay
        return RedisPoolFactory(
            url=self._url or self._server.local_url,
            variant=self._config.game,
            name=self._cluster.namespace,
            limiter=replay.limiter,
            keep=replay.keep,
        )

    def actor_opener(self, node: str) -> RedisPoolFactory:
        """Opens it on any node, to store games: through a local socket on this one, by TCP elsewhere."""
        is_here = node == self._cluster.here.id
        own = self._server.local_actor_url if is_here else self._server.actor_url
        return replace(self.opener(), url=self._url or own)

    @property
    def restarts(self) -> int:
        """Number of times that the run's own server had to be started again."""
        return self._keeper.restarts if self._keeper else 0

    def _pool(self) -> RedisPool:
        self._opened = self._opened or self.opener()()
        return self._opened

    def stop(self) -> None:
        """Save, and end the server; also after a start that failed."""
        if self._opened:
            self._opened.close()
        if self._keeper:
            self._keeper.stop()
