"""A writer of our own to the pool of a run, which sends what no actor would."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Final
from unittest.mock import patch

from gobang.types import Variant
from learner.replay.pool import redis_pool
from learner.replay.pool.redis_claim import pool_name
from learner.replay.pool.redis_pool import RedisPoolFactory
from learner.replay.pool.redis_server import RedisServer
from tests.chaos.trial import Trial
from tests.learner.replay.games import stored_games

GAME: Final = Variant.square(5, k=4)  # of the preset `tiny`


def factory(trial: Trial) -> RedisPoolFactory:
    """Opens the run's pool in any process."""
    name = pool_name(trial.folder.read_address()["namespace"], trial.folder.identity())
    return RedisPoolFactory(
        url=RedisServer.url_in(trial.folder.redis), variant=GAME, name=name, run=trial.folder.identity()
    )


def send(trial: Trial, actor: str, number: int, blob: bytes) -> None:
    """Store a blob in the place of an actor's game, as the actor would, but without a look at it."""
    (game,) = stored_games(GAME, 1, actor=actor)
    with closing(factory(trial)()) as pool, patch.object(redis_pool, "encode", return_value=blob):
        pool.add(replace(game, id=f"{actor}/{number:06}"))


def rejected(trial: Trial) -> int:
    """Entries that the run has put aside so far."""
    with closing(factory(trial)()) as pool:
        return pool.counters().quarantined
