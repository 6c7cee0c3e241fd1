"""Recipes for a run's parts: the factory of each, with all that it needs to work on its node.

A factory is pickled, sent to the process of the part and called there, and again after each crash.  None
is defined here: what this module loads for all parts, such as torch, would come along to each of them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from actors.factories import SelfPlayFactory, ServerFactory
from actors.remote import NamedServer, ray_name, start_inference, start_self_play
from actors.server.local import LocalEvaluator
from actors.server.models import EvaluatorFactory
from actors.wire.address import PREFIX
from actors.wire.remote_evaluator import RemoteEvaluator
from evaluator.judging.remote import start_judge
from gobang.evaluators.network import make_evaluator
from gobang.interfaces import Evaluator
from gobang.run_folder import RunFolder
from gobang.run_log import Logged
from learner.run.cluster import Cluster, on_node
from learner.run.config import RunConfig
from learner.run.fleet import ActorPlace, ServerPlace
from learner.run.parts import Kind
from learner.run.pool import RunPool
from learner.run.supervisor import Start
from learner.training.remote import LearnerClient, LearnerFactory, ServedVersions, start_learner

SOCKETS: Final = Path("/tmp")  # for local sockets: is on every node, and short

Thing = TypeVar("Thing")


class Recipes:
    """Starts the parts of one run."""

    def __init__(self, config: RunConfig, folder: RunFolder, cluster: Cluster, pool: RunPool) -> None:
        self._config, self._folder, self._cluster, self._pool = config, folder, cluster, pool
        self._key = secrets.token_bytes(32)  # known to servers and those that ask them
        self._sockets = SOCKETS / f"{PREFIX}{secrets.token_hex(6)}"
        self._make_source = partial(LearnerClient, namespace=cluster.namespace)

    def learner(self, most_steps: int | None) -> Start:
        """The learner, on this node, which goes on from the folder's newest checkpoint."""
        config, here = self._config, self._cluster.here.id
        make = LearnerFactory(
            root=self._folder.root.resolve(),
            make_pool=self._pool.opener(),
            variant=config.game,
            network=config.network,
            trainer=config.trainer,
            learner=config.learner,
            replay=config.replay,
            seed=config.seed,
        )
        log = self._folder.log.resolve()
        return partial(start_learner, make, log, most_steps, num_gpus=self.learner_gpus, **on_node(here))

    @property
    def learner_gpus(self) -> float:
        """What the learner takes of the GPUs of this node: nothing where none is free, or on another device."""
        wanted = self._config.learner.gpus if self._config.trainer.device in ("auto", "cuda") else 0.0
        return min(wanted, self._cluster.here.free_gpus)

    def server(self, place: ServerPlace) -> Start:
        """An inference server, which listens for other nodes only where there may be some."""
        config, threads = self._config.inference, self._config.inference.threads or place.threads
        local, remote = f"unix:{self._sockets}-{place.number}", f"tcp:{place.node.host}:0"
        make = ServerFactory(
            config=config.server(
                self._config.game,
                listen=(local, remote) if self._cluster.is_shared else (local,),
                key=self._key,
                threads=threads,
            ),
            make_source=self._make_source,
            make_evaluator=self._evaluator(threads),
            measures=config.max_batch == 0 and place.gpus > 0,
        )
        name, options = ray_name(Kind.INFERENCE.value, place.number), on_node(place.node.id)
        return partial(start_inference, name, self._logged(make), cpus=0, num_gpus=place.gpus, **options)

    def actor(self, place: ActorPlace, simulations: int) -> Start:
        """A self-play actor; its name for Ray is unique, as Ray may still know it on a node that is gone."""
        search = replace(self._config.self_play.search, simulations=simulations)
        make = SelfPlayFactory(
            variant=self._config.game,
            config=replace(self._config.self_play, search=search),
            make_evaluator=self._asking(place),
            make_sink=self._pool.actor_opener(place.node.id),
        )
        name = f"self_play:{place.number:02}@{place.node.host}-{place.node.id[:8]}"
        return partial(start_self_play, name, self._logged(make), cpus=place.cpus, **on_node(place.node.id))

    def judge(self, server: int) -> Start:
        """The judge, on this node, whose matches ask a server."""
        connect = partial(RemoteEvaluator, self._find(server, turn=0), self._key, self._config.game)
        make = self._logged(partial(ServedVersions, learner=self._make_source(), connect=connect))
        config, folder = self._config, RunFolder(self._folder.root.resolve())
        options = on_node(self._cluster.here.id)
        return partial(start_judge, config.evaluator, config.game, folder, make, num_cpus=0, **options)

    def _asking(self, place: ActorPlace) -> Callable[[], Evaluator]:
        """How an actor's positions are answered: by a server, or in its own process where that costs less."""
        config, model = self._config, self._config.self_play.weights
        if config.actors_answer:
            poll_seconds = config.inference.poll_seconds
            return partial(
                LocalEvaluator, self._make_source, self._evaluator(1), model=model, poll_seconds=poll_seconds
            )
        return partial(
            RemoteEvaluator, self._find(place.server, turn=place.number), self._key, config.game, model=model
        )

    def _evaluator(self, threads: int) -> EvaluatorFactory:
        """Makes an evaluator of weights, with so many batches under way at once."""
        config = self._config.inference
        return partial(
            make_evaluator,
            variant=self._config.game,
            backend=config.backend,
            precision=config.precision,
            threads=threads,
            batches=threads,
        )

    def _find(self, server: int, *, turn: int) -> NamedServer:
        return NamedServer(kind=Kind.INFERENCE.value, number=server, turn=turn)

    def _logged(self, make: Callable[..., Thing]) -> Logged[Thing]:
        return Logged(make=make, log=self._folder.log.resolve())
