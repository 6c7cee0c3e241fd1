"""The Ray cluster of a run: started here, or joined where one runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from gobang.errors import GobangError

LOCAL: Final = "local"
_TASK_SECONDS: Final = 60.0
_OBJECT_STORE_BYTES: Final = 200_000_000  # holds a few copies of the weights
_THREADS: Final = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
_ONE_THREAD: Final = dict.fromkeys(_THREADS, "1")  # an actor is one of many: its libraries must not take all cores


class ClusterUnavailable(GobangError):
    """There is no Ray cluster at the address, or none could be started."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """A running cluster, e.g. `Cluster(address="10.0.0.7:6379", dashboard="http://127.0.0.1:8265", ...)`."""

    address: str
    namespace: str
    dashboard: str  # empty if it has none
    login: str  # how to get into the dashboard
    cores: int  # of all nodes
    nodes: tuple[str, ...]  # Ray's ids; that of this process first


def start_cluster(address: str, namespace: str, *, dashboard: bool) -> Cluster:
    """Start a cluster of this machine alone for "local", or join the one at "auto" or HOST:PORT."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # no calls to the outside
    options: dict[str, Any] = {"runtime_env": {"env_vars": _ONE_THREAD}, "namespace": namespace}
    if address == LOCAL:
        options |= {"include_dashboard": dashboard, "object_store_memory": _OBJECT_STORE_BYTES}
    try:
        context: Any = ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = str(error).strip() or type(error).__name__
        hint = "" if address == LOCAL else "; does it want a token? Then set RAY_AUTH_MODE=token"
        raise ClusterUnavailable(f"no Ray cluster at {address!r}: {reason}{hint}") from error
    here = ray.get_runtime_context().get_node_id()
    library: Any = ray  # its functions below have no types
    alive = [node["NodeID"] for node in library.nodes() if node["Alive"]]
    return Cluster(
        address=ray.get_runtime_context().gcs_address,
        namespace=namespace,
        dashboard=f"http://{context.dashboard_url}" if context.dashboard_url else "",
        login=_login(),
        cores=int(library.cluster_resources().get("CPU", 1)),
        nodes=(here, *(node for node in alive if node != here)),
    )


def stop_cluster() -> None:
    """End a cluster that was started here, or leave one that was joined."""
    ray.shutdown()


def on_node(node: str) -> dict[str, Any]:
    """Ray's options for an actor or a task that has to run on a node."""
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)}


def run_on_nodes(cluster: Cluster, work: Callable[[], object]) -> None:
    """Do something small once on every node, and wait for it."""
    task: Any = ray.remote(num_cpus=0)(_do)
    ray.get([task.options(**on_node(node)).remote(work) for node in cluster.nodes], timeout=_TASK_SECONDS)


def _do(work: Callable[[], object]) -> None:
    work()


def _login() -> str:
    """Words for the person who opens the dashboard."""
    if os.environ.get("RAY_AUTH_MODE", "token") == "disabled":
        return "no login"
    path = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
    return f"log in with the token in {path}"
