"""A run's claim on a pool: which run the games belong to, and whether they are still there.

    claim = PoolClaim(url, name="gobang-8x8-1", run=identity, say=print)
    claim.take(before=None)       # PoolUnavailable if it is the pool of another run
    claim.look()                  # every second
    claim.release()               # at the end: a pool without games is nobody's

The identity lies in the run's folder and beside the counters in Redis.  Whoever stores or counts for the run
compares it first, so that nothing goes into a pool that was emptied, or that another run has made its own; `look`
puts the identity and the counters back, as they were last seen.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from typing import Any, Final

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_pool import connect, translated
from learner.replay.pool.redis_scripts import LOOK
from learner.replay.pool.redis_url import without_password
from learner.replay.pool.replay_pool import NO_COUNTERS, PoolCounters

_PARTS: Final = ("games", "counters", "actors", "quarantine")


def pool_name(namespace: str, run: str) -> str:
    """Return how the keys of a run's pool begin: only its launcher and its learner know the identity in it."""
    return f"{namespace}:{run}"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """What a look found, in the order in which LOOK takes and gives it."""

    games: int
    positions: int
    sampled: int
    quarantined: int
    lost: int
    entries: int  # games that should lie in the stream


class PoolClaim:
    """The claim of one run on the pool of a name."""

    def __init__(self, url: str, *, name: str, run: str, say: Callable[[str], None]) -> None:
        """`run` is the identity, and `say` tells the person what is gone."""
        self._place = f"redis at {without_password(url)}"
        self._keys = [f"{name}:games", f"{name}:counters"]
        self._name, self._run, self._say = name, run, say
        self._redis = connect(url)
        self._look = self._redis.register_script(LOOK)
        self._seen: _Seen | None = None

    def take(self, before: PoolCounters | None, *, is_behind: bool = False) -> None:
        """Make the pool this run's; `before` is what a run that goes on knows of it, None for a new one.

        The pool `is_behind` if the run went on in one process since: then it starts empty, and only the counters stay.
        """
        owner, games = self._read_owner()
        if is_behind and (owner == self._run or not games):
            self._empty(before)
            owner, games = self._run, 0
        if owner not in ("", self._run) or (games and before is None):
            raise PoolUnavailable(
                f"{self._place} holds games of another run under the name {self._name}: choose another --run, "
                f"or delete them with redis-cli DEL {' '.join(f'{self._name}:{part}' for part in _PARTS)}"
            )
        if before and before.games and not owner and not games:
            self._say(
                f"warning: {self._place} holds none of the {before.games:,} games of {self._name}: "
                "it was emptied, or is another server; training goes on with games to come"
            )
        known = before if before and not games else NO_COUNTERS
        self._seen = None if games else _Seen(**_fields(known), entries=0)
        self.look()

    def look(self) -> None:
        """Count what is gone, and put the identity back; raise PoolUnavailable."""
        with translated(self._place):
            seen = astuple(self._seen) if self._seen else ()
            found: Any = self._look(keys=self._keys, args=[self._run, *seen])
        gone, *counts = found
        self._seen = _Seen(**dict(zip(_Seen.__dataclass_fields__, counts, strict=True)))
        if gone:
            self._say(f"warning: {gone:,} games are gone from {self._place}: it was emptied, or drops what it holds")

    def adopt(self, name: str) -> None:
        """Rename the keys that an earlier version stored under `name`, unless they belong to another run.

        The earliest versions stored no identity; their server, in the run's own folder, held one pool alone.
        """
        with translated(self._place):
            owner: Any = self._redis.hget(f"{name}:counters", "run")
            if owner not in (None, self._run.encode()):
                return
            for part in _PARTS:
                if self._redis.exists(f"{name}:{part}"):
                    self._redis.rename(f"{name}:{part}", f"{self._name}:{part}")

    def release(self) -> None:
        """Give up a pool without games, and close the connection."""
        with suppress(PoolUnavailable):
            if self._read_owner() == (self._run, 0):
                with translated(self._place):
                    self._redis.delete(*self._keys)
        self._redis.close()

    def _empty(self, before: PoolCounters | None) -> None:
        """Remove the games of this run; the run has played others since."""
        with translated(self._place):
            self._redis.delete(*(f"{self._name}:{part}" for part in _PARTS))
        games = before.games if before else 0
        self._say(f"the run went on in one process: the pool in {self._place} starts empty, after {games:,} games")

    def _read_owner(self) -> tuple[str, int]:
        """The identity in Redis, empty if there is none, and how many games there were or are."""
        with translated(self._place):
            values: Any = self._redis.hmget(self._keys[1], ["run", "games"])
            entries: Any = self._redis.xlen(self._keys[0])
        return (values[0] or b"").decode(), max(int(values[1] or 0), entries)


def _fields(counters: PoolCounters) -> dict[str, int]:
    return {name: getattr(counters, name) for name in PoolCounters.__dataclass_fields__}
