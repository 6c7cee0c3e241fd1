"""Starts a run and watches over it: `python -m learner.launch --preset 8x8 --minutes 30`.

This is the one module that knows actors, learner and evaluator.  What flows between their processes:

                 +---------- weights by version <---------+----------------+
                 v                                        |                |
        inference servers                              learner <--+    evaluator
           ^ |   ^ |                                      ^       |        | promotes
    leaves | |   | | of the evaluator's matches    samples|       +--------+
           | v   | +------------------------------------->|------------>
        self-play actors ----- games -----> replay pool --+
                                            (Redis)

    loop             takes                   gives                  waits for            is unblocked by
    self-play actor  priors and outcomes     games, each once       answers              the inference server
                                                                    room in the pool     the learner's sampling
    inference        positions, weights      priors and outcomes    questions            actors, evaluator
      server           (asks twice a second)                        the first weights    the learner's version 0
    learner          games, once each        versions on disk       positions to sample  the actors' games
    evaluator        the newest version      games, promotions      a new candidate      the learner's next version
    this process     reports                 metrics, restarts      a quarter second     itself, or a signal

Learner, evaluator, Redis and the run's folder are on the node of this process.  A server is on each
GPU, or on each node that plays where there are none; learner.run.fleet says which actors are where:

    this node     unix sockets to the node's own server and to Redis
    other nodes   unix sockets to the node's own server, or TCP to one elsewhere; TCP to Redis

Ray tells an actor where its server listens, each time that it connects.  What goes over TCP is
authenticated: with a key that is made anew for each start, and with the password of Redis.

The two sides of the pool hold each other back through counters in Redis: actors pause when the
learner is behind, the learner pauses when the actors are.  Both look again by themselves, so nobody
has to be woken.  What dies is started again, by Ray or by the Supervisor, and finds all it needs on
disk, in Redis and under the learner's name.

Order of the start: Ray, Redis, learner (which publishes version 0), inference servers and actors,
evaluator.  Order of the end, within ten seconds: actors and evaluator together (games in flight are
dropped whole, finished ones are sent), inference servers, learner (writes a checkpoint), Redis
(saves), Ray.
"""

from __future__ import annotations

import secrets
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from actors.factories import SelfPlayFactory, ServerFactory
from actors.remote import NamedServer, start_inference, start_self_play
from actors.self_play.self_play import SelfPlay
from actors.server.inference import ServerConfig
from actors.wire.remote_evaluator import RemoteEvaluator
from evaluator.judging.remote import start_judge
from gobang.errors import PoolUnavailable, VersionGone
from gobang.evaluators.network import make_evaluator
from gobang.evaluators.null import NullEvaluator
from gobang.run_folder import LOG, Logged, RunFolder, best_weights
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.redis_pool import RedisPoolFactory
from learner.replay.pool.redis_server import LOOPBACK, RedisServer
from learner.replay.pool.replay_pool import START
from learner.replay.window.ring import Ring
from learner.run.cluster import living_nodes, on_node, start_cluster, stop_cluster
from learner.run.config import RunConfig
from learner.run.fleet import ActorPlace, Fleet, Node, ServerPlace
from learner.run.interrupts import Interrupts
from learner.run.machine import machine_name
from learner.run.options import Options
from learner.run.redis_keeper import RedisKeeper
from learner.run.supervisor import Supervisor
from learner.training.remote import NAMESPACE, LearnerClient, LearnerFactory, ServedVersions, start_learner
from learner.watching.collect import ACTOR, EVALUATOR, INFERENCE, LEARNER, Collector, Reports, standstills
from learner.watching.metrics import Values
from learner.watching.monitor import Monitor
from learner.watching.progress import Progress
from learner.watching.telemetry import Gauges

TICK_SECONDS: Final = 0.25
DRAIN_SECONDS: Final = 3.0  # for what the actors and the evaluator have in hand
LEARNER_SECONDS: Final = 3.0  # for a last checkpoint
MISTAKE: Final = 2  # exit status
SOCKETS: Final = Path("/tmp")  # for local sockets: is on every node, and short


class Run:
    """The parts of one run.  Leaving the context stops what was started, the last first."""

    def __init__(self, config: RunConfig, options: Options, progress: Progress) -> None:
        self._config, self._options, self._progress = config, options, progress
        self._folder = options.folder
        self._interrupts = Interrupts(self._say)
        self._supervisor = Supervisor(self._say)
        self._collector = Collector()
        self._cleanup = ExitStack()
        self._values: Values = {}  # the last ones
        self._redis: RedisKeeper | None = None
        self._key = secrets.token_bytes(32)  # known to servers and those that ask them
        self.ended = "failed"  # how the run did

    def __enter__(self) -> Run:
        self._interrupts.listen()
        return self

    def __exit__(self, *exception: object) -> None:
        self._cleanup.close()

    def start(self) -> None:
        """Start everything, in the order of the module's docstring."""
        namespace = f"{NAMESPACE}-{self._folder.root.name}"
        cluster = start_cluster(self._options.address, namespace, dashboard=self._config.dashboard)
        self._cleanup.callback(stop_cluster)
        self._interrupts.listen()  # Ray has put its own in place
        self._cluster = cluster
        self._folder.write_address({"address": cluster.address, "namespace": namespace})
        self._open_pool(namespace)
        game, machine = str(self._config.game), machine_name()
        facts = {"run": str(self._folder.root), "game": game, "machine": machine, "play": self.play}
        self._monitor = Monitor(self._folder, self._progress, Gauges(), self._options.budget, facts)
        self._cleanup.callback(self._stop_parts)
        self._start_learner()
        self._start_players()
        if cluster.dashboard:
            self._say(f"dashboard: {cluster.dashboard}, {cluster.login}")
        self._say(f"to play against what has been learned so far: {self.play}")

    def watch(self) -> None:
        """Supervise until the budget is spent or a signal comes."""
        self.ended = "stopped"
        while not self._interrupts.wait(TICK_SECONDS):
            self._values = self._tick()
            if not self._monitor.show(self._values):
                self.ended = "finished"
                return

    @property
    def play(self) -> str:
        """The command to play against the best weights."""
        game, default = self._config.game, RunConfig().game
        words = [f"gobang play --player net:{best_weights(self._folder)} --size {game.width}"]
        words += [f"--k {game.k}"] * (game.k != default.k) + [f"--rule {game.rule}"] * (game.rule != default.rule)
        return " ".join(words)

    def _start_redis(self) -> tuple[str, str]:
        """A server of our own, in reach of other nodes if there may be some; its URL here and there."""
        host = self._cluster.here.host if self._cluster.is_shared else LOOPBACK
        server = RedisServer(self._folder.redis, host=host, maxmemory=self._config.replay.megabytes << 20)
        self._redis = RedisKeeper(server, self._say)
        self._cleanup.callback(self._redis.stop)
        self._redis.start()
        return server.local_url, server.url

    def _open_pool(self, name: str) -> None:
        """Prepare what opens the pool in any process; games of another run must not lie in it."""
        replay, url = self._config.replay, self._options.redis
        near, far = (url, url) if url else self._start_redis()
        self._pool = RedisPoolFactory(
            url=near, variant=self._config.game, name=name, limiter=replay.limiter, keep=replay.keep
        )
        self._pool_from_afar = replace(self._pool, url=far)
        pool = self._pool()
        self._cleanup.callback(pool.close)
        if pool.counters().games and not self._options.resume:
            raise PoolUnavailable(f"{pool.address} holds games under the name {name}: choose another --run")

    def _start_learner(self) -> None:
        """Start the learner, and wait until version 0 or the newest checkpoint can be asked for."""
        config = self._config
        make = LearnerFactory(
            root=self._folder.root.resolve(),
            make_pool=self._pool,
            variant=config.game,
            network=config.network,
            trainer=config.trainer,
            learner=config.learner,
            replay=config.replay,
            seed=config.seed,
        )
        log, steps = self._folder.log.resolve(), self._options.budget.steps
        start = partial(start_learner, make, log, steps, **on_node(self._cluster.here.id))
        self._supervisor.add(LEARNER, start)
        self._supervisor.wait_for([LEARNER], goes_on=lambda: not self._interrupts.has_come)
        self._values = self._collector.collect(self._supervisor.poll())

    def _start_players(self) -> None:
        """Start inference servers, actors and the evaluator."""
        nodes = living_nodes()
        self._sockets = SOCKETS / f"gobang-{secrets.token_hex(6)}"
        self._versions = LearnerClient(namespace=self._cluster.namespace)
        self._fleet = Fleet(self._supervisor, self._say, start_server=self._start_server, start_actor=self._start_actor)
        self._fleet.begin(nodes, self._options.actors or default_actors(sum(int(node.free_cpus) for node in nodes)))
        if self._config.game.players == 2:
            self._start_judge()
        else:
            self._say(f"no evaluator for games of {self._config.game.players}: each version counts as the best")

    def _start_server(self, name: str, place: ServerPlace) -> None:
        """An inference server, which listens for other nodes only where there may be some."""
        config, threads = self._config.inference, self._config.inference.threads or place.threads
        local, remote = f"unix:{self._sockets}-{place.number}", f"tcp:{place.node.host}:0"
        server = ServerConfig(
            variant=self._config.game,
            listen=(local, remote) if self._cluster.is_shared else (local,),
            key=self._key,
            threads=threads,
            **self._config.serving(),
        )
        backend = {"backend": config.backend, "precision": config.precision}
        evaluate = partial(make_evaluator, variant=self._config.game, threads=threads, batches=threads, **backend)
        make = ServerFactory(config=server, make_source=partial(_same, self._versions), make_evaluator=evaluate)
        options = {"num_gpus": place.gpus, **on_node(place.node.id)}
        self._supervisor.add(name, partial(start_inference, _ray_name(name), self._logged(make), cpus=0, **options))

    def _start_actor(self, name: str, place: ActorPlace) -> None:
        """A self-play actor; its name for Ray has its node in it, since Ray may still know it on another one."""
        search = replace(self._config.self_play.search, simulations=self._simulations({}))
        make = SelfPlayFactory(
            variant=self._config.game,
            config=replace(self._config.self_play, search=search),
            find=NamedServer(name=_ray_name(place.server), turn=place.number),
            key=self._key,
            make_sink=self._pool_on(place.node),
        )
        options = {"cpus": place.cpus, **on_node(place.node.id)}
        start = partial(start_self_play, f"{_ray_name(name)}-{place.node.id[:8]}", self._logged(make), **options)
        self._supervisor.add(name, start, lambda handle: handle.drain.remote(DRAIN_SECONDS))

    def _pool_on(self, node: Node) -> RedisPoolFactory:
        """Opens the pool in a process on a node."""
        return self._pool if node.id == self._cluster.here.id else self._pool_from_afar

    def _start_judge(self) -> None:
        here = self._cluster.here.id
        find = NamedServer(name=_ray_name(self._fleet.server_near(here)), turn=0)
        connect = partial(RemoteEvaluator, find, self._key, self._config.game)
        versions = ServedVersions(learner=self._versions, connect=connect, gone=VersionGone)
        make = self._logged(partial(_same, versions))
        folder = RunFolder(self._folder.root.resolve())
        config, options = self._config.evaluator, {"num_cpus": 0, **on_node(here)}
        start = partial(start_judge, config, self._config.game, folder, make, **options)
        self._supervisor.add(EVALUATOR, start, lambda handle: handle.stop.remote(DRAIN_SECONDS))

    def _logged(self, make: Any) -> Logged:
        return Logged(make=make, log=self._folder.log.resolve())

    def _tick(self) -> Values:
        """Look after all nodes and parts once; their metrics."""
        self._fleet.settle(living_nodes())
        reports = self._supervisor.poll()
        values = self._collector.collect(reports)
        simulations = self._simulations(reports)
        restarts = self._supervisor.restarts + (self._redis.restarts if self._redis else 0)
        for name, report in reports.items():
            playing = getattr(report, "self_play", None)
            if playing and playing.simulations_per_move != simulations:
                self._supervisor.handle(name).set_simulations.remote(simulations)
        return {**values, "simulations": simulations, "restarts": restarts}

    def _simulations(self, reports: Reports) -> int:
        """Per move now, by schedule and standstills."""
        return self._config.playouts.simulations(
            positions=int(self._values.get("positions", 0)),
            minutes=self._monitor.seconds() / 60,
            standstills=standstills(reports),
        )

    def _stop_parts(self) -> None:
        """Drain in the order of the module's docstring."""
        names = self._supervisor.names()
        players = [name for name in names if name.split()[0] in (ACTOR, EVALUATOR)]
        self._supervisor.stop(players, seconds=DRAIN_SECONDS + 1)
        self._supervisor.stop([name for name in names if name.split()[0] == INFERENCE], seconds=1)
        last = self._supervisor.stop([LEARNER], seconds=LEARNER_SECONDS)
        self._monitor.finish({**self._values, **last.get(LEARNER, {})}, self.ended)

    def _say(self, event: str) -> None:
        """One line for the person and for the log."""
        LOG.info(event)
        self._progress.say(f"{time.strftime('%H:%M:%S')} {event}")


def compile_kernels(config: RunConfig) -> None:
    """Play and store a quick game here, so that kernels are compiled once and not by every process at the same time."""
    pool = MemoryPool(config.game)
    search = replace(config.self_play.search, simulations=2)
    quick = replace(config.self_play, search=search, games=2, cache_entries=64)
    self_play = SelfPlay(config.game, quick, NullEvaluator(config.game), pool, name="quick", seed=1)
    while not pool.counters().games:
        self_play.step()
    self_play.drain()
    ring = Ring(config.game, 10_000)
    ring.extend(pool.read_since(START, 100).games)
    ring.sample(2, np.random.default_rng(1))


def default_actors(cores: int) -> int:
    """Half of the cores: an actor with its games in lock step asks more than one core can answer."""
    return max(2, cores // 2)


def _ray_name(part: str) -> str:
    return part.replace(" ", "-")


def _same(thing: Any) -> Any:
    """A factory of something that can be sent as it is."""
    return thing
