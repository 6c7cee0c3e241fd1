"""The replay pool of a run: a redis-server that the run starts, or one of the user's."""

from __future__ import annotations

from collections.abc import Callable

from gobang.run_folder import RunFolder
from learner.replay.pool.redis_claim import PoolClaim, pool_name
from learner.replay.pool.redis_pool import RedisPoolFactory
from learner.replay.pool.redis_server import LOOPBACK, RedisServer
from learner.replay.pool.redis_writer import RedisWriterFactory, Writers
from learner.replay.pool.replay_pool import counted
from learner.run.cluster import Cluster
from learner.run.config import RunConfig
from learner.run.redis_keeper import RedisKeeper


class RunPool:
    """Opens the pool in any process, and keeps it, with the server behind it if that is the run's own.

    pool = RunPool(config, folder, cluster, url=None, say=print)
    pool.start(is_new=True)
    make_pool, make_sink = pool.opener(), pool.actor_opener(node)
    pool.stop()
    """

    def __init__(
        self, config: RunConfig, folder: RunFolder, cluster: Cluster, *, url: str | None, say: Callable[[str], None]
    ) -> None:
        """`url` is that of a server of the user's."""
        self._config, self._folder, self._cluster, self._url, self._say = config, folder, cluster, url, say
        self._server = RedisServer(
            folder.redis,
            host=cluster.here.host if cluster.is_shared else LOOPBACK,  # in reach of other nodes if there may be some
            maxmemory=config.replay.megabytes << 20,
        )
        self._run = ""  # its identity
        self._claim: PoolClaim | None = None
        self._writers: Writers | None = None
        self._keeper: RedisKeeper | None = None

    def start(self, *, is_new: bool) -> None:
        """Make the pool ready; PoolUnavailable if it holds games of another run."""
        self._run = self._folder.identity()
        if not self._url:
            self._server.start()
        url, replay = self._url or self._server.local_url, self._config.replay
        self._claim = PoolClaim(url, name=self._name, run=self._run, say=self._say)
        if not self._url:
            self._claim.adopt(self._cluster.namespace)
        before = None if is_new else counted(self._folder.read_summary().get("values", {}))
        self._claim.take(before, is_behind=self._folder.pool.exists())
        self._folder.pool.unlink(missing_ok=True)
        self._writers = Writers(
            url, name=self._name, run=self._run, keep=replay.keep, variant=self._config.game, say=self._say
        )
        self._writers.look()
        self._keeper = RedisKeeper(None if self._url else self._server, self._look, self._say)
        self._keeper.start()

    def opener(self) -> RedisPoolFactory:
        """Opens the pool in a process on this node, with all rights."""
        replay = self._config.replay
        return RedisPoolFactory(
            url=self._url or self._server.local_url,
            variant=self._config.game,
            name=self._name,
            limiter=replay.limiter,
            keep=replay.keep,
            run=self._run,
        )

    def actor_opener(self, node: str) -> RedisWriterFactory:
        """Return what opens the pool on a node to store games: by a local socket on this one, by TCP elsewhere."""
        assert self._writers is not None, "start it first"
        own = self._server.local_url if node == self._cluster.here.id else self._server.url
        return self._writers.factory(self._url or own, self._config.replay.limiter)

    @property
    def _name(self) -> str:
        return pool_name(self._cluster.namespace, self._run)

    def _look(self) -> None:
        """Look after the games first: a script for actors is of no use in a pool without its run."""
        assert self._claim is not None
        assert self._writers is not None
        self._claim.look()
        self._writers.look()

    @property
    def restarts(self) -> int:
        """Number of times that the run's own server had to be started again."""
        return self._keeper.restarts if self._keeper else 0

    def stop(self) -> None:
        """Save, and end the server; also after a start that failed."""
        if self._keeper:
            self._keeper.stop()
        if self._writers:
            self._writers.close()
        if self._claim:
            self._claim.release()
        if not self._url:
            self._server.stop()
