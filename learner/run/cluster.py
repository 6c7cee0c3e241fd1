"""The Ray cluster of a run: started here, or joined where one runs."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import ray
from ray._private import state
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from gobang.errors import GobangError
from learner.run.fleet import Node

LOCAL: Final = "local"
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
    here: Node  # that of this process
    is_shared: bool  # joined, not started here


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
    return Cluster(
        address=ray.get_runtime_context().gcs_address,
        namespace=namespace,
        dashboard=f"http://{context.dashboard_url}" if context.dashboard_url else "",
        login=_login(),
        here=living_nodes()[0],
        is_shared=address != LOCAL,
    )


def stop_cluster() -> None:
    """End a cluster that was started here, or leave one that was joined."""
    ray.shutdown()


def living_nodes() -> list[Node]:
    """The nodes that Ray has not given up, which takes it some 14 s; that of this process first."""
    library: Any = ray  # the functions have no types
    internals: Any = state  # what is free on each node has no public name; ray.util takes it from here, too
    alive, free = [node for node in library.nodes() if node["Alive"]], internals.available_resources_per_node()
    here = ray.get_runtime_context().get_node_id()
    return [
        _node(node, free.get(node["NodeID"], node["Resources"]))
        for node in sorted(alive, key=lambda node: bool(node["NodeID"] != here))
    ]


def on_node(node: str) -> dict[str, Any]:
    """Ray's options for an actor or a task that has to run on a node."""
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)}


def _node(described: dict[str, Any], free: dict[str, float]) -> Node:
    return Node(
        id=described["NodeID"],
        host=described["NodeManagerAddress"],
        cores=int(described["Resources"].get("CPU", 0)),
        free_cpus=free.get("CPU", 0.0),
        free_gpus=int(free.get("GPU", 0)),
    )


def _login() -> str:
    """Words for the person who opens the dashboard."""
    if os.environ.get("RAY_AUTH_MODE", "token") == "disabled":
        return "no login"
    path = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
    return f"log in with the token in {path}"
