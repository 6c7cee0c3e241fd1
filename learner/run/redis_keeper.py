"""A thread that keeps the run's own redis-server running, with the scripts that actors run in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_server import RedisServer

LOOK_SECONDS: Final = 1.0


class RedisKeeper:
    """Starts a server, and starts it again whenever it has died, until `stop`."""

    def __init__(self, server: RedisServer, make_ready: Callable[[], None], say: Callable[[str], None]) -> None:
        """`make_ready` is called after each start; PoolUnavailable if it has to be called again."""
        self.server = server
        self._make_ready = make_ready
        self._is_ready = False
        self.restarts = 0
        self._say = say
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="redis-keeper", daemon=True)

    def start(self) -> None:
        """Returns when the server answers; PoolUnavailable with the reason if it cannot."""
        self.server.start()
        self._make_ready()
        self._is_ready = True
        self._thread.start()

    def stop(self) -> None:
        """Save, and end the server; also after a start that failed."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        self.server.stop()

    def _run(self) -> None:
        is_down = False
        while not self._closing.wait(LOOK_SECONDS):
            try:
                if self.server.ensure_running():
                    self.restarts += 1
                    self._is_ready = False
                    self._say("redis-server was gone and is started again")
                if not self._is_ready:
                    self._make_ready()
                    self._is_ready = True
                is_down = False
            except PoolUnavailable as error:
                if not is_down:
                    self._say(f"{error}; it is tried again until it works")
                is_down = True
