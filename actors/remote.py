"""Self-play and inference as Ray actors.

Ray names and restarts them, and tells one where the other listens; positions and games do not pass
through Ray.  Each starts its work by itself when it is constructed, so that nothing has to be told
to it after a restart.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import ray
from ray import _raylet
from ray.exceptions import RayError

from actors.self_play.self_play import SelfPlay
from actors.server.inference import InferenceServer
from gobang.errors import EvaluatorUnavailable, GobangError
from gobang.reports import ActorReport, SelfPlayReport, ServerReport

_LOG: Final = logging.getLogger(__name__)
_ADDRESS_SECONDS: Final = 2.0  # for a server to tell where it listens
_WAITING_SECONDS: Final = 0.1  # between looks whether the learner wants games again
_FAILURE_SECONDS: Final = 1.0  # before going on after a failure
_SWITCH_SECONDS: Final = 0.0005  # the longest that preparing new weights keeps a batch from Python
_FOREVER: Final[dict[str, Any]] = {
    "max_restarts": -1,
    "max_task_retries": 0,  # a call that was lost is the caller's to repeat
}
AUTH_MODE: Final = "RAY_AUTH_MODE"  # of the environment: "token" or "disabled"
_THREADS: Final = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
# Ray's options for a driver: an actor is one of many, whose libraries must not take all cores.
ONE_THREAD: Final[dict[str, Any]] = {"runtime_env": {"env_vars": dict.fromkeys(_THREADS, "1")}}


class SelfPlayLoop:
    """Plays in a thread until it is stopped; failures are logged, counted and survived."""

    def __init__(self, make: Callable[[], SelfPlay]) -> None:
        self._make = make
        self._self_play: SelfPlay | None = None
        self._report: SelfPlayReport | None = None
        self._simulations: int | None = None
        self._failures = self._failures_in_a_row = 0
        self._last_failure = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="self-play", daemon=True)
        self._thread.start()

    def report(self) -> ActorReport:
        """The state after the last move."""
        return ActorReport(
            cpu_seconds=time.process_time(),
            self_play=self._report,
            failures=self._failures,
            failures_in_a_row=self._failures_in_a_row,
            last_failure=self._last_failure,
        )

    def set_simulations(self, simulations: int) -> None:
        """Use this many simulations per move, from the next one on."""
        self._simulations = simulations

    def drain(self, seconds: float) -> int:
        """Stop, drop the games in progress, and return how many finished ones are lost."""
        self._stop.set()
        self._thread.join(seconds)
        if self._self_play is None or self._thread.is_alive():
            return self._report.buffered if self._report else 0
        return self._self_play.drain()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._step()
            except GobangError as error:  # what is under way stays so: the next step asks again
                self._fail(str(error))
            except Exception as error:
                _LOG.exception("self-play begins anew")
                self._fail(repr(error))
                self._self_play = None

    def _step(self) -> None:
        if self._self_play is None:
            self._self_play = self._make()
        if self._simulations is not None:
            simulations, self._simulations = self._simulations, None
            self._self_play.set_simulations(simulations)
        self._report = self._self_play.step()
        self._failures_in_a_row = 0
        if self._report.is_waiting:
            self._stop.wait(_WAITING_SECONDS)

    def _fail(self, reason: str) -> None:
        if reason != self._last_failure:
            _LOG.warning("self-play is interrupted: %s", reason)
        self._failures += 1
        self._failures_in_a_row += 1
        self._last_failure = reason
        self._stop.wait(_FAILURE_SECONDS)


@ray.remote
class SelfPlayActor:
    """A process that plays games."""

    def __init__(self, name: str, make: Callable[[str], SelfPlay]) -> None:
        """`make` builds the self-play from the actor's name, in this process."""
        self._loop = SelfPlayLoop(lambda: make(name))

    def report(self) -> ActorReport:
        """The state after the last move."""
        return self._loop.report()

    def set_simulations(self, simulations: int) -> None:
        """Use this many simulations per move, from the next one on; to be repeated after a restart."""
        self._loop.set_simulations(simulations)

    def drain(self, seconds: float) -> int:
        """Stop, and return how many finished games could not be sent."""
        return self._loop.drain(seconds)


@ray.remote
class InferenceActor:
    """A process that answers the positions of its node, and of nodes without a server."""

    def __init__(self, make: Callable[[], InferenceServer]) -> None:
        """`make` builds the server in this process."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._server = make()

    def address(self, node: str) -> str:
        """Its address for a process on that node: the first is for its own node, the last for others."""
        return self._server.addresses[0 if node == ray.get_runtime_context().get_node_id() else -1]

    def report(self) -> ServerReport:
        """Counts since its start."""
        return self._server.report()

    def stop(self) -> None:
        """Hang up on all clients."""
        self._server.close()


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedServer:
    """Asks Ray for the address of an inference server, e.g. `NamedServer(kind="inference", number=2, turn=5)`.

    A server that is restarted keeps its name, and is waited for.  When a name is gone, so is its
    node: then one of the others answers, of which `turn` chooses, so that they share the work.
    """

    kind: str  # of all servers of the run
    number: int  # of the one to ask
    turn: int

    def __call__(self) -> str:
        """The address for this node; EvaluatorUnavailable while the server does not answer."""
        here = ray.get_runtime_context().get_node_id()
        try:
            address: str = ask(self._server().address.remote(here), _ADDRESS_SECONDS)
        except (RayError, ValueError) as error:
            raise EvaluatorUnavailable(
                f"{self.kind} {self.number} does not tell its address: {type(error).__name__}"
            ) from error
        return address

    def _server(self) -> Any:
        name, names = ray_name(self.kind, self.number), sorted(ray.util.list_named_actors())
        if name not in names:
            others = [other for other in names if other.startswith(ray_name(self.kind, ""))]
            if not others:
                raise EvaluatorUnavailable(f"{self.kind} {self.number} is gone, and there is no other server")
            name = others[self.turn % len(others)]
        return ray.get_actor(name)


def ray_name(kind: str, which: int | str) -> str:
    """The name under which Ray knows one of several actors of a kind, e.g. "inference-2"."""
    return f"{kind}-{which}"


def start_self_play(name: str, make: Callable[[str], SelfPlay], *, cpus: float, **options: Any) -> Any:
    """The handle of a new SelfPlayActor; `options` are Ray's, such as its node."""
    remote: Any = SelfPlayActor
    return remote.options(name=name, num_cpus=cpus, **_FOREVER, **options).remote(name, make)


def start_inference(name: str, make: Callable[[], InferenceServer], *, cpus: float, **options: Any) -> Any:
    """The handle of a new InferenceActor; `options` are Ray's, such as its node or its GPU."""
    remote: Any = InferenceActor
    return remote.options(name=name, num_cpus=cpus, **_FOREVER, **options).remote(make)


def wants_token() -> bool:
    """Return True unless the user has switched Ray's token off in the environment."""
    return os.environ.get(AUTH_MODE, "token") != "disabled"


def use_token(whether: bool) -> None:
    """Make Ray ask for the token and show it from now on, or neither.

    What Ray does without being told has changed between its versions.
    """
    os.environ[AUTH_MODE] = "token" if whether else "disabled"  # for the processes that Ray starts, too
    internals: Any = _raylet  # there is no public way
    internals.Config.initialize("")  # reads the environment again


@contextlib.contextmanager
def local_ray(cpus: int, object_store: int = 100 << 20) -> Iterator[None]:
    """Start a Ray of this process alone, for measurements and tests."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    use_token(wants_token())
    ray.init(
        address="local",
        num_cpus=cpus,
        object_store_memory=object_store,
        include_dashboard=False,
        log_to_driver=False,
        namespace=f"gobang-{os.getpid()}",
        **ONE_THREAD,
    )
    try:
        yield
    finally:
        ray.shutdown()


def ask(reference: Any, seconds: float = 60.0) -> Any:
    """The result of a call to an actor, or of a list of calls, within a time."""
    return ray.get(reference, timeout=seconds)
