"""A replay pool inside one process, for runs and tests without Redis; nothing outlives it."""

from __future__ import annotations

import threading

from gobang.errors import InvalidGame
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.codec import decode, encode, split_id, trainable_positions
from learner.replay.pool.limiter import Limiter, LimiterConfig
from learner.replay.pool.replay_pool import Cursor, PoolCounters, PoolRead, Rejected, check_version


class MemoryPool:
    """A `ReplayPool` that keeps blobs in a list; any number of threads may use it."""

    def __init__(self, variant: Variant, *, limiter: LimiterConfig | None = None, keep: int = 1_000_000) -> None:
        """`keep` is how many positions it holds; older games are dropped."""
        self._variant = variant
        self._limiter = Limiter(limiter or LimiterConfig())
        self._keep = keep
        self._lock = threading.RLock()
        self._entries: list[tuple[int, int, bytes]] = []  # number, positions before it, blob
        self._last: dict[str, int] = {}  # sequence number by actor
        self._games = self._positions = self._sampled = 0
        self._rejected: dict[int, str] = {}  # reason by number

    def add(self, game: SelfPlayGame) -> bool:
        """Store a game; False if its id is stored already."""
        blob = encode(game)
        actor, sequence = split_id(game.id)
        with self._lock:
            if sequence <= self._last.get(actor, -1):
                return False
            self._last[actor] = sequence
            self.add_blob(blob, trainable_positions(game))
        return True

    def add_blob(self, blob: bytes, positions: int) -> None:
        """Store what may be no game: tests give garbage."""
        with self._lock:
            self._games += 1
            self._entries.append((self._games, self._positions, blob))
            self._positions += positions
            while len(self._entries) > 1 and self._positions - self._entries[0][1] > self._keep:
                del self._entries[0]

    def has_room(self) -> bool:
        """Whether self-play may go on."""
        return self._limiter.may_insert(self._positions, self._sampled)

    def read_since(self, cursor: Cursor, limit: int, newest: int | None = None) -> PoolRead:
        """Read up to `limit` entries after the cursor; set invalid games aside."""
        after = cursor.number or 0
        with self._lock:
            entries = [entry for entry in self._entries if entry[0] > after][:limit]
        if not entries:
            return PoolRead(games=[], cursor=cursor, missed=0, rejected=[])
        games: list[SelfPlayGame] = []
        rejected: list[Rejected] = []
        for number, _, blob in entries:
            try:
                game = decode(blob, self._variant)
                check_version(game, newest)
                games.append(game)
            except InvalidGame as error:
                rejected.append(self._reject(number, str(error)))
        missed = 0 if cursor.number is None else entries[0][0] - after - 1
        last = entries[-1][0]
        return PoolRead(games=games, cursor=Cursor(entry=str(last), number=last), missed=missed, rejected=rejected)

    def take_samples(self, count: int) -> bool:
        """Whether a learner may draw `count` samples now; if so they are counted."""
        with self._lock:
            allowed = self._limiter.may_sample(self._positions, self._sampled, count)
            self._sampled += count if allowed else 0
        return allowed

    def counters(self) -> PoolCounters:
        """The pool's counters."""
        with self._lock:
            return PoolCounters(
                games=self._games,
                positions=self._positions,
                sampled=self._sampled,
                quarantined=len(self._rejected),
                lost=0,
            )

    def _reject(self, number: int, reason: str) -> Rejected:
        self._rejected[number] = reason
        return Rejected(entry=str(number), reason=reason, kept="memory")
