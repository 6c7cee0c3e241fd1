"""The learner as a Ray actor, and its weights as others see them from afar."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import ray
from ray._private import ray_constants
from ray.actor import ActorHandle
from ray.exceptions import GetTimeoutError, RayActorError, RayTaskError

from gobang.errors import InvalidCheckpoint, VersionGone, WeightsUnavailable
from gobang.interfaces import Evaluator
from gobang.network.spec import NetworkSpec
from gobang.run_folder import RunFolder
from gobang.run_log import log_to
from gobang.types import Variant
from gobang.versions import LATEST, NO_VERSION
from learner.training.fence import hold
from learner.watching.metrics import Values

if TYPE_CHECKING:  # so that who only asks for weights does not load torch
    from learner.replay.pool.replay_pool import ReplayPool
    from learner.training.experience import ReplayConfig
    from learner.training.learner import Learner, LearnerConfig
    from learner.training.trainer import TrainerConfig

_LOG: Final = logging.getLogger(__name__)
ACTOR_NAME: Final = "learner"  # under which other programs find it
NAMESPACE: Final = "gobang"  # of a run: this, a dash and the run's name
IDLE_SECONDS: Final = 0.05  # between two looks at a pool that has nothing new
WEIGHTS_SECONDS: Final = 10.0
_LOOPBACK: Final = ("127.0.0.1", "localhost")


class LearnerActor:
    """Runs the learner in a thread.  When that fails, the process ends and Ray starts it from the disk again."""

    def __init__(self, make: Callable[[], Learner], log: Path, most_steps: int | None) -> None:
        """`make` opens the pool and the run's folder here; training ends at `most_steps`."""
        log_to(log)
        self._learner = make()
        self._most_steps = most_steps
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)
        self._thread.start()

    def weights(self, which: str, known: int = NO_VERSION) -> bytes | None:
        """A checkpoint file's bytes of "latest", "best" or a version number; None if that is `known`."""
        return self._learner.weights(which, known)

    def identify(self, which: str) -> tuple[int, str]:
        """Version and SHA-256 of what `weights` would give."""
        return self._learner.identify(which)

    def promote(self, version: int) -> None:
        """Make a version the best; it is when this returns."""
        self._learner.promote(version)

    def report(self) -> Values:
        """The learner's metrics."""
        return self._learner.values()

    def stop(self) -> Values:
        """End training after the step in hand, and write a checkpoint; the last metrics."""
        self._stop.set()
        self._thread.join()
        self._learner.publish()
        return self._learner.values()

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                if self._is_done() or not self._learner.advance():
                    self._stop.wait(IDLE_SECONDS)
        except Exception:
            _LOG.exception("the learner failed and starts again from its newest checkpoint")
            os._exit(1)

    def _is_done(self) -> bool:
        return self._most_steps is not None and self._learner.steps >= self._most_steps


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnerFactory:
    """Opens the pool and the run's folder, and builds the learner, in the process where this is called."""

    root: Path  # of the run
    variant: Variant
    network: NetworkSpec
    trainer: TrainerConfig
    learner: LearnerConfig
    replay: ReplayConfig
    make_pool: Callable[[], ReplayPool]
    seed: int

    def __call__(self) -> Learner:
        """A learner that goes on from the newest checkpoint; RunFolderTaken if another one writes there."""
        folder = RunFolder(self.root)
        hold(folder.learner_lock)
        from learner.training.experience import PoolExperience
        from learner.training.learner import Learner

        return Learner(
            variant=self.variant,
            network=self.network,
            trainer=self.trainer,
            config=self.learner,
            folder=folder,
            experience=PoolExperience(self.make_pool(), self.variant, self.replay),
            seed=self.seed,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnerClient:
    """The learner of a namespace, as a WeightsSource in any process of the cluster."""

    namespace: str

    def weights(self, which: str, known: int) -> bytes | None:
        """See WeightsSource; WeightsUnavailable while the learner is away, VersionGone also for damaged weights."""
        blob: bytes | None = self._call("weights", which, known)
        return blob

    def identify(self, which: str) -> tuple[int, str]:
        """Version and SHA-256 of what `weights` would give."""
        identity: tuple[int, str] = self._call("identify", which)
        return identity

    def report(self) -> Values:
        """The learner's metrics."""
        values: Values = self._call("report")
        return values

    def promote(self, version: int) -> None:
        """Make a version the best; it is when this returns."""
        self._call("promote", version)

    def _call(self, method: str, *arguments: Any) -> Any:
        # Looked up anew each time: a learner that was replaced has another handle under the same name.
        try:
            handle = ray.get_actor(ACTOR_NAME, self.namespace)
            return ray.get(getattr(handle, method).remote(*arguments), timeout=WEIGHTS_SECONDS)
        except (RayActorError, GetTimeoutError, ValueError) as error:
            raise WeightsUnavailable(f"the learner does not answer: {type(error).__name__}") from error
        except RayTaskError as error:
            if isinstance(error.cause, VersionGone | InvalidCheckpoint):
                raise VersionGone(str(error.cause)) from error
            raise WeightsUnavailable(f"the learner cannot: {error.cause}") from error


class Connection(Evaluator, Protocol):
    """An evaluator that has to be closed."""

    def close(self) -> None:
        """Hang up."""


class Connect(Protocol):
    """Connects to an inference server."""

    def __call__(self, *, model: str) -> Connection:
        """Answers of "latest", "best" or a version number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServedVersions:
    """The run's versions, answered by an inference server, for the judge."""

    learner: LearnerClient
    connect: Connect

    def newest(self) -> int:
        """The newest version."""
        return self.learner.identify(LATEST)[0]

    @contextmanager
    def evaluator(self, version: int) -> Iterator[Evaluator]:
        """Answers by that version's weights; raises VersionGone."""
        self.learner.identify(str(version))
        with closing(self.connect(model=str(version))) as evaluator:
            yield evaluator

    def promote(self, version: int) -> None:
        """Make a version the best."""
        self.learner.promote(version)


def start_learner(make: LearnerFactory, log: Path, most_steps: int | None, **options: object) -> ActorHandle[Any]:
    """The actor under its name, restarted by Ray for ever; `options` are Ray's, such as its node."""
    actor: Any = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=0)(LearnerActor)
    handle: ActorHandle[Any] = actor.options(name=ACTOR_NAME, **options).remote(make, log, most_steps)
    return handle


def find_learner(address: str, namespace: str | None = None) -> LearnerClient:
    """Join a cluster as a guest; the learner of the namespace, or the only one there is."""
    try:
        if address.rpartition(":")[0] in _LOOPBACK:
            stay_on_loopback()  # else Ray looks for the cluster at the machine's address in the network
        ray.init(address=address, namespace=namespace or NAMESPACE, log_to_driver=False, logging_level=logging.ERROR)
        return LearnerClient(namespace=namespace or _only_namespace())
    except (OSError, RuntimeError, ValueError) as error:
        raise WeightsUnavailable(f"no learner at {address}: {error}") from error


def stay_on_loopback() -> None:
    """From now on Ray takes 127.0.0.1 for this machine's address: what it starts listens there alone, metrics too."""
    os.environ[ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR] = "0"  # for the processes that it starts
    ray_constants.ENABLE_RAY_CLUSTER = False


def _only_namespace() -> str:
    actors = ray.util.list_named_actors(all_namespaces=True)
    found = [actor["namespace"] for actor in actors if actor["name"] == ACTOR_NAME]
    if len(found) != 1:
        raise WeightsUnavailable(f"{len(found)} learners: {', '.join(found) or 'none'}; name the run with --run")
    return str(found[0])
