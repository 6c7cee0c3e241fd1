"""The Ray cluster of a run: started here, or joined where one runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import ray
from ray._private import state, worker
from ray.autoscaler.sdk import request_resources
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.remote import ONE_THREAD, use_token, wants_token
from gobang.settings import read_yaml
from learner.run import doors
from learner.run.doors import ClusterUnavailable, last_reason
from learner.run.fleet import Node
from learner.run.interrupts import Interrupts
from learner.run.options import LOCAL
from learner.run.session import protect_token, session_folder, token_path
from learner.training.remote import stay_on_loopback

_MEMORY: Final = {"object_store_memory": 200_000_000}  # bytes; holds a few copies of the weights
BOOTSTRAP: Final = Path.home() / "ray_bootstrap_config.yaml"  # `ray up` leaves it on the head node
_JOIN_SECONDS: Final = 20.0  # for a cluster to answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """A running cluster, e.g. `Cluster(address="10.0.0.7:6379", dashboard="http://127.0.0.1:8265", ...)`."""

    address: str
    namespace: str
    dashboard: str  # empty if it has none
    is_open: bool  # lets everybody in, who can then run code as its user
    here: Node  # that of this process
    session: Path | None  # the folder with Ray's own files; None if the cluster was joined, not started here

    @property
    def login(self) -> str:
        """How to get into the dashboard."""
        return "no login" if self.is_open else f"log in with the token in {token_path()}"

    @property
    def is_shared(self) -> bool:
        """Whether there may be other nodes."""
        return self.session is None


@contextmanager
def running_cluster(
    address: str, namespace: str, *, dashboard: bool, insecure: bool, interrupts: Interrupts
) -> Iterator[Cluster]:
    """Start a cluster of this machine alone for "local", or join the one at "auto" or HOST:PORT; at the end leave it.

    Raises ClusterUnavailable, ClusterOpen unless `insecure`, or Interrupted.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # no calls to the outside
    doors.check_version()
    protect_token(make=address == LOCAL and wants_token())
    with ExitStack() as cleanup:
        session, options, is_open = None, {}, not wants_token()
        if address == LOCAL:
            stay_on_loopback()
            use_token(not is_open)
            session = cleanup.enter_context(session_folder()) / "ray"  # Ray opens its folder to all users
            options = {"include_dashboard": dashboard, "_temp_dir": str(session), **_MEMORY}
        else:
            wait_for = partial(interrupts.wait_until, seconds=_JOIN_SECONDS)
            is_open = doors.is_open(address, insecure=insecure, wait_for=wait_for)
            use_token(not is_open)
            doors.check_joins(address, wait_for)
        dashboard_url = _join(address, namespace, options, interrupts)
        cleanup.callback(ray.shutdown)
        _end_idle_processes()
        yield Cluster(
            address=ray.get_runtime_context().gcs_address,
            namespace=namespace,
            dashboard=f"http://{dashboard_url}" if dashboard_url else "",
            is_open=is_open,
            here=living_nodes()[0],
            session=session,
        )


def _join(address: str, namespace: str, options: dict[str, Any], interrupts: Interrupts) -> str:
    """The dashboard's address, empty if there is none."""
    options = {"namespace": namespace, **ONE_THREAD, **options}
    try:
        with interrupts.held():
            context: Any = ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except Exception as error:  # a bare one where a node does not come up in time
        raise ClusterUnavailable(f"no Ray cluster at {address!r}: {last_reason(str(error))}") from error
    return context.dashboard_url or ""


def _end_idle_processes() -> None:
    """End what Ray starts with a cluster and a run has no use for, 90 MB: the autoscaler, and the tail of the logs."""
    internals: Any = worker  # there is no public way
    if internals._global_node is not None and internals._global_node.is_head():
        internals._global_node.kill_monitor(check_alive=False)
        internals._global_node.kill_log_monitor(check_alive=False)


def living_nodes() -> list[Node]:
    """The nodes that Ray has not given up, which takes it some 14 s; that of this process first.

    One that is drained (`ray drain-node`, or SIGTERM to its `ray start --block`) has notice.
    """
    library: Any = ray  # the functions have no types
    internals: Any = state  # what is free on each node has no public name; ray.util takes it from here, too
    alive, free = [node for node in library.nodes() if node["Alive"]], internals.available_resources_per_node()
    here = ray.get_runtime_context().get_node_id()
    leaving = internals.state.get_draining_nodes().keys() - {here}  # what is here can go nowhere else
    return [
        _node(node, free.get(node["NodeID"], node["Resources"]), has_notice=node["NodeID"] in leaving)
        for node in sorted(alive, key=lambda node: bool(node["NodeID"] != here))
    ]


def most_cpus(bootstrap: Path = BOOTSTRAP) -> float:
    """CPUs of all workers that the autoscaler of a cluster made by `ray up` may start; 0 where there is none."""
    if not bootstrap.exists():
        return 0.0
    config: Any = read_yaml(bootstrap)
    most, kinds = config.get("max_workers", 0), config.get("available_node_types", {})
    cpus = [
        float(kind["resources"].get("CPU", 0))
        for name, kind in kinds.items()
        if name != config["head_node_type"]
        for _ in range(kind.get("max_workers", most))
    ]
    return sum(sorted(cpus, reverse=True)[:most])


def keep_room(actors: int, cpus: float) -> None:
    """Let the autoscaler hold nodes for this number of actors, until it is told otherwise; 0 lets idle nodes go."""
    request_resources(bundles=[{"CPU": cpus}] * actors)


def on_node(node: str) -> dict[str, Any]:
    """Ray's options for an actor or a task that has to run on a node."""
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)}


def _node(described: dict[str, Any], free: dict[str, float], *, has_notice: bool) -> Node:
    return Node(
        id=described["NodeID"],
        host=described["NodeManagerAddress"],
        cores=int(described["Resources"].get("CPU", 0)),
        free_cpus=free.get("CPU", 0.0),
        free_gpus=free.get("GPU", 0.0),
        has_notice=has_notice,
    )
