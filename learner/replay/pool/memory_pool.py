"""A replay pool inside one process, for a run without Redis, and for tests.

pool = MemoryPool(variant, limiter=limiter, keep=500_000)
save(pool.get_state())                   # now and then: what is not saved ends with the process
pool.set_state(load())                   # InvalidCheckpoint leaves the pool empty
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from gobang.errors import InvalidCheckpoint, InvalidGame
from gobang.types import SelfPlayGame, Variant
from learner.replay.pool.codec import decode, encode, split_id, trainable_positions
from learner.replay.pool.limiter import Limiter, LimiterConfig
from learner.replay.pool.replay_pool import Cursor, PoolCounters, PoolRead, Rejected, check_version

_MOST: Final = 10**15  # of what is counted; floating point numbers are exact as far as this


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
        self._quarantined = self._lost = 0  # before the pool was restored
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

    def get_state(self) -> dict[str, Any]:
        """Return counters, games and the last sequence number of each actor, as arrays and plain values."""
        with self._lock:
            blobs = [blob for _, _, blob in self._entries]
            return {
                "counters": asdict(self.counters()),
                "actors": dict(self._last),
                "rejected": {str(number): reason for number, reason in self._rejected.items()},
                "before": np.array([before for _, before, _ in self._entries], np.int64),  # [N] positions
                "lengths": np.array([len(blob) for blob in blobs], np.int64),  # [N] bytes
                "blobs": np.frombuffer(b"".join(blobs), np.uint8),
            }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over what `get_state` returned, of which nothing is trusted; raise InvalidCheckpoint."""
        try:
            counters = PoolCounters(**{name: _count(value) for name, value in state["counters"].items()})
            last = {str(actor): _count(number) for actor, number in state["actors"].items()}
            rejected = {int(number): str(reason) for number, reason in state["rejected"].items()}
            before, lengths = ([_count(value) for value in state[name].tolist()] for name in ("before", "lengths"))
            content = state["blobs"].tobytes()
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise InvalidCheckpoint(f"no state of a pool: {error!r}") from error
        fits = len(before) == len(lengths) <= counters.games and sum(lengths) == len(content)
        rises = all(one <= other for one, other in pairwise([0, *before, counters.positions]))
        if not (fits and rises and min(lengths, default=1) > 0 and len(rejected) <= counters.quarantined):
            raise InvalidCheckpoint("no state of a pool: its parts contradict each other")
        ends = list(accumulate(lengths))
        blobs = [content[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        first = counters.games - len(blobs) + 1
        with self._lock:
            self.set_counters(replace(counters, quarantined=counters.quarantined - len(rejected)))
            self._last, self._rejected = last, rejected
            self._entries = list(zip(range(first, first + len(blobs)), before, blobs, strict=True))

    def set_counters(self, counters: PoolCounters) -> None:
        """Count on from these numbers, while the pool is empty."""
        with self._lock:
            assert not self._entries, "the games of a pool are counted already"
            self._games, self._positions, self._sampled = counters.games, counters.positions, counters.sampled
            self._quarantined, self._lost = counters.quarantined, counters.lost

    def has_room(self) -> bool:
        """Whether self-play may go on."""
        return self._limiter.may_insert(self._positions, self._sampled)

    def read_since(self, cursor: Cursor, limit: int, newest: int | None = None) -> PoolRead:
        """Read up to `limit` entries after the cursor; set invalid games aside."""
        after = cursor.number or 0
        with self._lock:
            start = max(0, after + 1 - self._entries[0][0]) if self._entries else 0  # numbers have no gaps
            entries = self._entries[start : start + limit]
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
                quarantined=self._quarantined + len(self._rejected),
                lost=self._lost,
            )

    def _reject(self, number: int, reason: str) -> Rejected:
        self._rejected[number] = reason
        return Rejected(entry=str(number), reason=reason, kept="memory")


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ValueError(f"{str(value)[:40]!r}: a whole number from 0")
    return value
