"""The traffic of a cluster's actors, servers and judge, simulated against a real pool and a real learner.

    simulated actors     recorded games, at a rate, by TCP ---> Redis <--- intake, the learner's
    simulated servers    newer weights?, twice a second  ----------------> its weights, by Ray
    a simulated judge    the newest version?, once a second -------------> its versions, by Ray

Redis, the pool's client, the learner and Ray are those of a run.  What is simulated is who plays: a few
processes hold a connection for each actor and send games that were made before, without any search.
Nothing is trained, so that what the learner's process takes is intake and answers alone.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from actors.remote import ask, local_ray
from gobang.network.presets import preset
from gobang.run_folder import RunFolder
from gobang.types import SelfPlayGame, Variant
from gobang.versions import LATEST, NO_VERSION
from learner.replay.bench import random_game
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.redis_pool import RedisPoolFactory, connect
from learner.replay.pool.redis_server import RedisServer
from learner.replay.window.size import WindowConfig
from learner.training.experience import ReplayConfig
from learner.training.learner import LearnerConfig
from learner.training.remote import LearnerClient, LearnerFactory, start_learner
from learner.training.trainer import TrainerConfig

ACTORS_OF_A_NODE: Final = 8  # which share a server
ASKS_PER_S: Final = 2.0  # of each server
FETCH_SECONDS: Final = 10.0  # between two versions: each server then fetches all bytes
CATCH_UP_SECONDS: Final = 30.0  # for the learner, after the last game
NETWORK: Final = "gobang_4x64"
_RECORDED: Final = 200  # games
_ENTRIES: Final = 19  # points of each policy
_NEVER: Final = LimiterConfig(minimum=1 << 40)  # nothing is trained, and nobody waits


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """What is to be carried, e.g. `Load(actors=256, games_per_s=1000.0, processes=2, seconds=20)`."""

    actors: int
    games_per_s: float  # of all together
    processes: int  # that simulate them
    seconds: float

    @property
    def servers(self) -> int:
        """Inference servers that ask for weights."""
        return -(-self.actors // ACTORS_OF_A_NODE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Players:
    """The actors of one process, e.g. `Players(names=("a0", "a1"), games_per_s=500.0, seconds=20.0, ...)`."""

    names: tuple[str, ...]
    games_per_s: float
    seconds: float
    make_pool: RedisPoolFactory


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """What the actors of one process have stored, e.g. `Played(games=10_000, cpu_seconds=1.2, late=0.01)`."""

    games: int
    cpu_seconds: float
    late: float  # seconds by which the last game was behind its time


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What servers and judge have asked."""

    asks: tuple[float, ...]  # seconds of each question whose answer was: nothing newer
    fetches: tuple[float, ...]  # seconds of each answer with all bytes
    bytes: int  # of one such answer


def play(players: Players) -> Played:
    """Runs in a process of its own: each actor in its turn asks for room and stores a game."""
    pools = [players.make_pool() for _ in players.names]
    recorded = recorded_games(players.make_pool.variant)
    begin, cpu = time.monotonic(), time.process_time()
    late = 0.0
    for number in count():
        due = begin + number / players.games_per_s
        if max(due, time.monotonic()) >= begin + players.seconds:
            break
        time.sleep(max(0.0, due - time.monotonic()))
        turn, actor = divmod(number, len(pools))
        assert pools[actor].has_room()
        pools[actor].add(replace(recorded[number % len(recorded)], id=f"{players.names[actor]}/{turn}"))
        late = max(0.0, time.monotonic() - due)
    return Played(games=number, cpu_seconds=time.process_time() - cpu, late=late)


def recorded_games(variant: Variant) -> list[SelfPlayGame]:
    """Games of random moves, the same in each process."""
    random = np.random.default_rng(0)
    games = [random_game(variant, f"recorded/{number}", random, entries=_ENTRIES) for number in range(_RECORDED)]
    return [replace(game, version=np.zeros_like(game.version)) for game in games]  # the only one that the learner has


class World:
    """Redis, the learner under Ray, and what they have cost."""

    def __init__(self, folder: Path, variant: Variant, load: Load) -> None:
        self._load = load
        self._redis = RedisServer(folder / "redis")
        self._redis.start()
        self._admin = connect(self._redis.local_url)
        positions = int(3 * load.games_per_s * load.seconds * variant.points)  # more than will ever be stored
        self.make_pool = RedisPoolFactory(url=self._redis.url, variant=variant, limiter=_NEVER, keep=positions)
        self._pool = self.make_pool()
        run = RunFolder(folder / "run")
        run.create("")
        make = LearnerFactory(
            root=run.root,
            variant=variant,
            network=preset(NETWORK),
            trainer=TrainerConfig(threads=1),
            learner=LearnerConfig(),
            replay=ReplayConfig(keep=positions, window=WindowConfig(start=positions, end=positions)),
            make_pool=replace(self.make_pool, url=self._redis.local_url),
            seed=0,
        )
        self._learner = start_learner(make, run.log, None)
        self.weights = LearnerClient(namespace=f"gobang-{os.getpid()}")

    def learner_seconds(self) -> float:
        """CPU time of the learner's process so far."""
        seconds: float = ask(self._learner.__ray_call__.remote(lambda _: time.process_time()))
        return seconds

    def redis_seconds(self) -> float:
        """CPU time of Redis so far."""
        info: Any = self._admin.info("cpu")
        return float(info["used_cpu_user"] + info["used_cpu_sys"])

    def taken_in(self) -> tuple[int, int]:
        """Positions in the learner's window, and stored in the pool."""
        return int(ask(self._learner.report.remote())["window"]), self._pool.counters().positions

    def catch_up(self) -> float:
        """Seconds until the learner has taken in all that is stored."""
        begin = time.monotonic()
        while len(set(self.taken_in())) > 1:
            assert time.monotonic() < begin + CATCH_UP_SECONDS, f"the learner is behind: {self.taken_in()}"
        return time.monotonic() - begin

    def stop(self) -> None:
        """End Redis; the learner ends with its Ray."""
        self._pool.close()
        self._admin.close()
        self._redis.stop()


@contextmanager
def world(variant: Variant, load: Load) -> Iterator[World]:
    """A world in a temporary folder and a Ray of its own."""
    with tempfile.TemporaryDirectory() as folder, local_ray(cpus=1):
        made = World(Path(folder), variant, load)
        try:
            yield made
        finally:
            made.stop()


def ask_as_servers(source: LearnerClient, load: Load) -> Asked:
    """What all servers and the judge ask, in one process, evenly over the time."""
    blob = source.weights(LATEST, NO_VERSION)
    assert blob is not None
    known, _ = source.identify(LATEST)
    asks: list[float] = []
    fetches: list[float] = []
    begin = time.monotonic()
    every = round(ASKS_PER_S * FETCH_SECONDS)  # which of a server's questions are answered with all bytes
    for number in range(int(load.servers * ASKS_PER_S * load.seconds)):
        due = begin + number / (load.servers * ASKS_PER_S)
        time.sleep(max(0.0, due - time.monotonic()))
        fetch = number // load.servers % every == number % every
        asked = time.monotonic()
        source.weights(LATEST, NO_VERSION if fetch else known)
        (fetches if fetch else asks).append(time.monotonic() - asked)
        if number % round(load.servers * ASKS_PER_S) == 0:
            source.identify(LATEST)
    return Asked(asks=tuple(asks), fetches=tuple(fetches), bytes=len(blob))
