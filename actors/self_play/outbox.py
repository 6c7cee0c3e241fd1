"""Finished games on their way to the pool: kept in order while it is away."""

from __future__ import annotations

import logging
from collections import deque
from typing import Final

from gobang.errors import InvalidGame, PoolUnavailable
from gobang.interfaces import GameSink
from gobang.types import SelfPlayGame

_LOG: Final = logging.getLogger(__name__)


class Outbox:
    """Sends games to a sink, the oldest first; `is_full` says when to stop making more."""

    def __init__(self, sink: GameSink, most: int) -> None:
        self._sink = sink
        self._most = most
        self._waiting: deque[SelfPlayGame] = deque()
        self.is_cut_off = False  # the pool did not answer when last asked
        self.discarded = 0  # games that were no games

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether as many games wait as may."""
        return len(self._waiting) >= self._most

    def add(self, game: SelfPlayGame) -> None:
        """Take a game over; it is sent by the next `flush`."""
        self._waiting.append(game)

    def flush(self) -> None:
        """Give what waits to the sink, the oldest first, up to the first failure."""
        try:
            while self._waiting:
                self._send(self._waiting[0])
                self._waiting.popleft()
                self.is_cut_off = False
        except PoolUnavailable as error:
            self._cut_off(error)

    def may_go_on(self) -> bool:
        """Whether the learner wants more games; without a pool, as long as there is room here."""
        try:
            has_room = self._sink.has_room()
        except PoolUnavailable as error:
            self._cut_off(error)
            return not self.is_full
        if not self._waiting:  # a pool without room can be read, too
            self.is_cut_off = False
        return has_room and not self.is_full

    def _send(self, game: SelfPlayGame) -> None:
        """Give a game to the sink; one that no pool takes is dropped, since all others wait behind it."""
        try:
            self._sink.add(game)
        except InvalidGame as error:
            self.discarded += 1
            _LOG.warning("game %s is dropped: %s", game.id, error)

    def _cut_off(self, error: PoolUnavailable) -> None:
        if not self.is_cut_off:
            _LOG.warning("%d finished games wait for the pool: %s", len(self._waiting), error)
        self.is_cut_off = True
