"""What a cluster's actors cost Redis and the learner: `gobang bench traffic --actors 256 --rate 1000`.

First nobody asks anything, then servers and the judge ask alone, then actors play alone, then all at once.  Costs are
CPU time, which other work on the machine does not count into; docs/cluster.md makes a model of them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.pool import AsyncResult, Pool
from statistics import quantiles

from gobang.children import PROCESSES
from gobang.types import Variant
from learner.run.traffic import Asked, Load, Played, Players, World, ask_as_servers, play, world


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """CPU seconds of a part of the measurement, and how long it took."""

    learner: float
    redis: float
    seconds: float


def spend(of: World, work: Callable[[], object]) -> Spent:
    """Do some work, and let the learner take in what came of it."""
    begin, learner, redis = time.monotonic(), of.learner_seconds(), of.redis_seconds()
    work()
    of.catch_up()
    return Spent(
        learner=of.learner_seconds() - learner,
        redis=of.redis_seconds() - redis,
        seconds=time.monotonic() - begin,
    )


class Measurement:
    """The parts of the measurement, one after the other."""

    def __init__(self, of: World, load: Load, pool: Pool) -> None:
        self._world, self._load, self._pool = of, load, pool
        self._take(self._play("first"))  # not measured: whatever happens once
        of.catch_up()
        self.idle = spend(of, lambda: time.sleep(load.seconds / 4))
        self.asking = spend(of, self._ask)
        self.asked_alone = self.asked
        self.playing = spend(of, lambda: self._take(self._play("alone")))
        self.played_alone = self.played
        self.all = spend(of, self._do_all)

    def _ask(self) -> None:
        self.asked: Asked = ask_as_servers(self._world.weights, self._load)

    def _do_all(self) -> None:
        playing = self._play("all")
        self._ask()
        self._take(playing)

    def _play(self, part: str) -> AsyncResult[list[Played]]:
        load = self._load
        names = [f"{part}-{actor}" for actor in range(load.actors)]
        shares = [
            Players(
                names=tuple(names[process :: load.processes]),
                games_per_s=load.games_per_s / load.processes,
                seconds=load.seconds,
                make_pool=self._world.make_pool,
            )
            for process in range(load.processes)
        ]
        return self._pool.map_async(play, shares, chunksize=1)

    def _take(self, playing: AsyncResult[list[Played]]) -> None:
        self.played = playing.get()

    def report(self) -> dict[str, float]:
        """The figures."""
        idle, games = self.idle.learner / self.idle.seconds, sum(each.games for each in self.played_alone)
        questions = len(self.asked_alone.asks) + len(self.asked_alone.fetches)
        slowest = quantiles(self.asked.asks, n=100)
        return {
            "stored_games_per_s": sum(each.games for each in self.played) / self._load.seconds,
            "late_ms": 1e3 * max(each.late for each in self.played),
            "insert_client_us": 1e6 * sum(each.cpu_seconds for each in self.played_alone) / games,
            "redis_us": 1e6 * self.playing.redis / games,
            "intake_us": 1e6 * (self.playing.learner - idle * self.playing.seconds) / games,
            "pull_us": 1e6 * (self.asking.learner - idle * self.asking.seconds) / questions,
            "pull_ms": 1e3 * slowest[49],
            "pull_99_ms": 1e3 * slowest[98],
            "fetch_ms": 1e3 * max(self.asked.fetches),
            "fetched_bytes": self.asked.bytes,
            "redis_share": self.all.redis / self.all.seconds,
            "learner_share": self.all.learner / self.all.seconds,
        }


def run(arguments: argparse.Namespace, variant: Variant) -> dict[str, float]:
    """Print and return the figures."""
    load = Load(
        actors=arguments.actors,
        games_per_s=arguments.rate,
        processes=arguments.processes,
        seconds=arguments.seconds,
    )
    with PROCESSES.Pool(load.processes) as pool, world(variant, load) as made:
        report = Measurement(made, load, pool).report()
    print(f"{variant}, {load.actors} actors in {load.processes} processes, {load.games_per_s} games/s together")
    for name, value in report.items():
        print(f"  {name:20} {value:12,.2f}")
    return {name: round(value, 3) for name, value in report.items()}
