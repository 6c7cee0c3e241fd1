"""A thread that keeps the run's pool: its own redis-server, if it has one, and its claim on the games."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_server import RedisServer

LOOK_SECONDS: Final = 1.0


class RedisKeeper:
    """Looks after a pool, and starts a server of the run's own again whenever it has died, until `stop`."""

    def __init__(self, server: RedisServer | None, look: Callable[[], None], say: Callable[[str], None]) -> None:
        """`look` looks after the pool on a server that answers; it may raise PoolUnavailable."""
        self.restarts = 0
        self._server, self._look, self._say = server, look, say
        self._told = ""  # what is wrong now
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="redis-keeper", daemon=True)

    def start(self) -> None:
        """From now on; the server has been started."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; also if it was not started."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(LOOK_SECONDS):
            try:
                if self._server and self._server.ensure_running():
                    self.restarts += 1
                    self._say("redis-server was gone and is started again")
                self._look()
                self._told = ""
            except PoolUnavailable as error:
                self._tell(f"{error}; it is tried again until it works")

    def _tell(self, reason: str) -> None:
        if reason != self._told:
            self._say(reason)
        self._told = reason
