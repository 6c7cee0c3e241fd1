"""A writer of our own to the pool of a run, which sends what no actor would."""

from __future__ import annotations

from contextlib import closing
from typing import Final

from gobang.types import Variant
from learner.replay.pool.redis_pool import RedisPool, RedisPoolFactory
from learner.replay.pool.redis_server import RedisServer
from tests.chaos.trial import Trial

GAME: Final = Variant.square(5, k=4)  # of the preset `tiny`
_POSITIONS: Final = 1  # that a sent blob is said to hold


def factory(trial: Trial) -> RedisPoolFactory:
    """Opens the run's pool in any process."""
    name = trial.folder.read_address()["namespace"]
    return RedisPoolFactory(url=RedisServer.url_in(trial.folder.redis), variant=GAME, name=name)


def send(trial: Trial, actor: str, number: int, blob: bytes) -> None:
    """Store a blob under the name of an actor, by the script of actors, but without a look at it."""
    with closing(factory(trial)()) as pool:
        store(pool, actor, number, blob)


def store(pool: RedisPool, actor: str, number: int, blob: bytes) -> None:
    """The same with a pool that is open."""
    pool._add(keys=pool._keys[:3], args=[actor, number, _POSITIONS, blob, 1_000_000])


def rejected(trial: Trial) -> int:
    """Entries that the run has put aside so far."""
    with closing(factory(trial)()) as pool:
        return pool.counters().quarantined
