"""A run: its parts in the order of their start and of their end, and the loop that watches over them.

This package is the one place that knows actors, learner and judge.  The data between their processes:

                 +---------- weights by version <---------+----------------+
                 v                                        |                |
        inference servers                              learner <--+      judge
           ^ |   ^ |                                      ^       |        | promotes
    leaves | |   | | of the judge's matches        samples|       +--------+
           | v   | +------------------------------------->|------------>
        self-play actors ----- games -----> replay pool --+
                                            (Redis)

    loop             takes                   gives                  waits for            is unblocked by
    self-play actor  priors and chances      games, each once       answers              the inference server
                                                                    room in the pool     the learner's sampling
    inference        positions, weights      priors and chances     questions            actors, judge
      server           (asks twice a second)                        the first weights    the learner's version 0
    learner          games, once each        versions on disk       positions to sample  the actors' games
    judge            the newest version      games, promotions      a new candidate      the learner's next version
    this process     reports                 metrics, restarts      a quarter second     itself, or a signal

Learner, judge, Redis and the run's folder are on the node of this process.  A server is on each
GPU, or on each node that plays where there are none; learner.run.fleet says which actors are where:

    this node     unix sockets to the node's own server and to Redis
    other nodes   unix sockets to the node's own server, or TCP to one elsewhere; TCP to Redis

A network that has a kernel of its own, such as one of line shapes, answers in the process of each actor, which
asks the learner for weights as a server does; there is an actor for each CPU, and the judge asks a server.

Ray tells an actor where its server listens, each time that it connects.  What goes over TCP is
authenticated: with a key that is made anew for each start, and with the password of Redis.

The two sides of the pool hold each other back through counters in Redis: actors pause when the
learner is behind, the learner pauses when the actors are.  Both look again by themselves, so nobody
has to be woken.  What dies is started again, by Ray or by the Supervisor, and finds all it needs on
disk, in Redis and under the learner's name.

Order of the start: Ray, Redis, learner (which publishes version 0), meanwhile kernels are compiled,
then inference servers and actors, judge.  A signal or a failure before version 0 leaves no folder.
Signals such as Ctrl-C or those of `timeout` are for this process alone: what it starts here does not hear
them.  Order of the end, within ten seconds: actors and judge together (games in flight are
dropped whole, finished ones are sent), inference servers, learner (writes a checkpoint), Redis
(saves), Ray.
"""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import Final

from gobang.compiling import NOTICE
from gobang.run_folder import RunFolder
from learner.run.cluster import Cluster, keep_room, living_nodes, most_cpus, running_cluster
from learner.run.compilation import Compilation
from learner.run.config import RunConfig
from learner.run.fleet import Fleet, default_actors
from learner.run.hints import blindness, facts, play_command
from learner.run.interrupts import Interrupts
from learner.run.options import CommandLine
from learner.run.parts import JUDGE, LEARNER, Kind
from learner.run.pool import RunPool
from learner.run.recipes import Recipes
from learner.run.supervisor import Handle, Pending, Supervisor
from learner.run.watch import Watch
from learner.training.remote import NAMESPACE
from learner.watching.metrics import Values
from learner.watching.monitor import Monitor
from learner.watching.progress import Progress
from learner.watching.telemetry import Gauges

TICK_SECONDS: Final = 0.25
DRAIN_SECONDS: Final = 3.0  # for what the actors and the judge have in hand
LEARNER_SECONDS: Final = 3.0  # for a last checkpoint

_LOG: Final = logging.getLogger(__name__)


class Run:
    """The parts of one run.  Leaving the context stops what was started, the last first."""

    option = ""

    def __init__(self, config: RunConfig, options: CommandLine, folder: RunFolder, progress: Progress) -> None:
        self._config, self._options, self._folder, self._progress = config, options, folder, progress
        self._interrupts = Interrupts(self._say)
        self._supervisor = Supervisor(self._say)
        self._watch = Watch(self._supervisor, config.playouts, self._folder, self._say)
        self._cleanup = ExitStack()
        self._values: Values = {}  # the last ones
        self._is_finished = False
        self.has_begun = False  # there are weights, so that the folder is worth keeping

    def __enter__(self) -> Run:
        self._interrupts.listen()
        return self

    def __exit__(self, *exception: object) -> None:
        self._cleanup.close()

    def start(self) -> None:
        """Start everything, in the order of the module's docstring; Interrupted if a signal comes meanwhile."""
        self._say(f"{self._config.game} in {self._folder.root}: starting")
        if warning := blindness(self._config):
            self._say(warning)
        with self._interrupts.held():
            compilation = Compilation(self._folder.config)
        self._cleanup.callback(compilation.stop)
        cluster = self._start_cluster()
        self._pool = RunPool(self._config, self._folder, cluster, url=self._options.redis, say=self._say)
        self._cleanup.callback(self._pool.stop)
        self._pool.start(is_new=not self._options.resume)
        self._interrupts.check()
        self._recipes = Recipes(self._config, self._folder, cluster, self._pool)
        self._monitor = Monitor(
            self._folder, self._progress, Gauges(), self._options.budget, facts(self._config, self._folder)
        )
        self._cleanup.callback(self._stop_parts)
        self._start_learner()
        self._wait_for_kernels(compilation)
        self._start_players(cluster)
        if cluster.dashboard:
            self._say(f"dashboard: {cluster.dashboard}, {cluster.login}")
        self._say(f"to play against what has been learned so far: {play_command(self._config.game, self._folder)}")

    def watch(self) -> None:
        """Supervise until the budget is spent or a signal comes."""
        while not self._interrupts.wait(TICK_SECONDS):
            self._fleet.settle(living_nodes())
            self._values = self._look()
            if not self._monitor.show(self._values):
                self._is_finished = True
                return

    @property
    def ended(self) -> str:
        """How the run did."""
        return "finished" if self._is_finished else "stopped" if self._interrupts.has_come else "failed"

    def _start_cluster(self) -> Cluster:
        """Start Ray or join it, and tell other programs where it is."""
        namespace = f"{NAMESPACE}-{self._folder.root.name}"
        joining = running_cluster(
            self._options.address,
            namespace,
            dashboard=self._config.dashboard,
            insecure=self._options.insecure,
            interrupts=self._interrupts,
        )
        cluster = self._cleanup.enter_context(joining)
        if cluster.is_open:
            self._say("warning: this Ray cluster asks for no token: whoever reaches it can run code as its user")
        self._interrupts.check()
        session = {} if cluster.session is None else {"session": str(cluster.session)}
        self._folder.write_address({"address": cluster.address, "namespace": namespace, **session})
        return cluster

    def _start_learner(self) -> None:
        """Start the learner, and wait until version 0 or the newest checkpoint can be asked for."""
        self._supervisor.add(LEARNER, self._recipes.learner(self._options.budget.steps))
        self._interrupts.wait_until(lambda: self._supervisor.has_started(LEARNER))
        self.has_begun = True
        self._values = self._look()

    def _wait_for_kernels(self, compilation: Compilation) -> None:
        """Wait for what the processes of actors and judge would otherwise compile each for itself."""
        self._interrupts.wait_until(lambda: compilation.has_work() or compilation.is_done())
        if compilation.has_work():
            self._say(NOTICE)
            self._interrupts.wait_until(compilation.is_done)

    def _start_players(self, cluster: Cluster) -> None:
        """Start inference servers, actors and the judge."""
        nodes, recipes, supervisor = living_nodes(), self._recipes, self._supervisor
        self._fleet = Fleet(
            supervisor,
            self._say,
            start_server=lambda part, place: supervisor.add(part, recipes.server(place)),
            start_actor=lambda part, place: supervisor.add(part, recipes.actor(place, self._watch.simulations), _drain),
            stop_actors=lambda parts: supervisor.stop(parts, seconds=DRAIN_SECONDS + 1),
        )
        actors = self._options.actors or default_actors(
            sum(int(node.free_cpus) for node in nodes), answer=self._config.actors_answer
        )
        cpus = self._fleet.begin(nodes, actors, most_cpus() if cluster.is_shared else 0.0)
        if cluster.is_shared:
            keep_room(actors, cpus)
            self._cleanup.callback(keep_room, 0, cpus)
        supervisor.add(JUDGE, recipes.judge(self._fleet.server_near(cluster.here.id)), _stop_in_time)

    def _look(self) -> Values:
        """Look after all parts once; the metrics."""
        values = self._watch.look(self._monitor.seconds() / 60)
        return {**values, "restarts": values["restarts"] + self._pool.restarts}

    def _stop_parts(self) -> None:
        """Drain in the order of the module's docstring; however that goes, the summary says how the run ended."""
        supervisor = self._supervisor
        self._watch.close()
        try:
            supervisor.stop(supervisor.parts(Kind.ACTOR, Kind.JUDGE), seconds=DRAIN_SECONDS + 1)
            supervisor.stop(supervisor.parts(Kind.INFERENCE), seconds=1)
            last = supervisor.stop([LEARNER], seconds=LEARNER_SECONDS).get(LEARNER)
            self._values |= last if isinstance(last, dict) else {}
        finally:
            self._monitor.finish(self._values, self.ended)

    def _say(self, event: str) -> None:
        """One line for the person and for the log."""
        _LOG.info(event)
        self._progress.say(f"{time.strftime('%H:%M:%S')} {event}")


def _drain(handle: Handle) -> Pending:
    pending: Pending = handle.drain.remote(DRAIN_SECONDS)
    return pending


def _stop_in_time(handle: Handle) -> Pending:
    pending: Pending = handle.stop.remote(DRAIN_SECONDS)
    return pending
