"""The learner's side of the replay pool: a window of the newest positions, filled as games come."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from gobang.errors import InvalidConfig, PoolUnavailable
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.replay_pool import NO_COUNTERS, START, Cursor, ReplayPool
from learner.replay.window.samples import Samples
from learner.replay.window.size import WindowConfig, window_size
from learner.replay.window.window import SamplingConfig, Window
from learner.watching.metrics import Values

_LOG: Final = logging.getLogger(__name__)
READ_AT_ONCE: Final = 256  # games
RECENT_GAMES: Final = 500  # whose means are reported


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayConfig:
    """Settings of the replay: how much is kept, which of it is drawn, how often; e.g. `ReplayConfig(keep=500_000)`."""

    keep: int = 1_000_000  # positions that stay in the pool
    megabytes: int = 4096  # that the embedded server may take; then it refuses games, which wait in the actors
    limiter: LimiterConfig = field(default_factory=LimiterConfig)
    window: WindowConfig = field(default_factory=WindowConfig)
    sampling: SamplingConfig = field(default_factory=SamplingConfig)

    def __post_init__(self) -> None:
        if self.keep < self.window.end:
            raise InvalidConfig(f"keep {self.keep}: at least window.end, {self.window.end}")
        if self.megabytes < 1:
            raise InvalidConfig(f"megabytes {self.megabytes}: at least 1")


class PoolExperience:
    """Reads a pool into a window.  `values` may be called from another thread."""

    def __init__(self, pool: ReplayPool, variant: Variant, config: ReplayConfig) -> None:
        self._pool = pool
        self._sizes = config.window
        self._window = Window(variant, config.window.start, config.sampling)
        self._cursor: Cursor = START
        self._counters = NO_COUNTERS
        self._recent: deque[SelfPlayGame] = deque(maxlen=RECENT_GAMES)
        self._surprise = 0.0  # of the window, mean
        self._is_lost = False

    def take_in(self, newest: int) -> None:
        """Read all new games, and let the window grow with the number of positions ever stored.

        `newest` is the newest version of the weights; games that claim a later one are put aside.
        """
        with self._noting_loss():
            self._counters = self._pool.counters()
            self._window.resize(window_size(self._sizes, self._counters.positions))
            while self._read(newest) == READ_AT_ONCE:
                pass
            self._surprise = self._window.mean_surprise()

    def draw(self, count: int, random: np.random.Generator) -> Samples | None:
        """Samples from the window; None if it is empty, the limiter says to wait, or the pool is away."""
        if not len(self._window):
            return None
        with self._noting_loss():
            if self._pool.take_samples(count):
                return self._window.sample(count, random)
        return None

    def values(self) -> Values:
        """Metrics of the pool and the window, as of the last `take_in`."""
        counters, recent = self._counters, list(self._recent)
        values: Values = {
            "games": counters.games,
            "positions": counters.positions,
            "rejected": counters.quarantined,
            "lost": counters.lost,
            "window": len(self._window),
            "window_limit": self._window.capacity,
            "reuse": counters.sampled / max(1, counters.positions),
            "surprise": self._surprise,
        }
        if recent:
            scores = [
                1 / game.variant.players if game.outcome == game.variant.draw else float(game.outcome == 0)
                for game in recent
            ]
            values["game_length"] = sum(map(len, recent)) / len(recent)
            values["black_score"] = sum(scores) / len(recent)
        return values

    def _read(self, newest: int) -> int:
        """Read one batch of entries; return its size."""
        read = self._pool.read_since(self._cursor, READ_AT_ONCE, newest)
        self._cursor = read.cursor
        self._window.extend(read.games)
        self._recent.extend(read.games)
        for rejected in read.rejected:
            _LOG.warning("entry %s is put aside in %s: %s", rejected.entry, rejected.kept, rejected.reason)
        if read.missed:
            _LOG.warning("%d games left the pool before they were read", read.missed)
        return len(read.games) + len(read.rejected)

    @contextmanager
    def _noting_loss(self) -> Iterator[None]:
        """One line of the log when the pool goes away, and one when it is back."""
        try:
            yield
        except PoolUnavailable as error:
            if not self._is_lost:
                _LOG.warning("the learner waits for the replay pool: %s", error)
            self._is_lost = True
        else:
            if self._is_lost:
                _LOG.info("the replay pool is back")
            self._is_lost = False
