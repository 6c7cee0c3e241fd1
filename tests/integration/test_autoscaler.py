"""A real autoscaler with nodes that are processes of this machine: what a run asks for comes, and goes."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import ray
import ray.autoscaler
from ray.autoscaler._private.fake_multi_node.node_provider import FAKE_HEAD_NODE_ID

from gobang.settings import read_yaml
from learner.run.cluster import keep_room, living_nodes
from tests.integration.nodes import RayCluster, free_port

SECONDS = 300  # for a node to come or to go on a busy machine
DEFAULTS = (
    Path(ray.autoscaler.__file__).with_name("local") / "defaults.yaml"
)  # those of the fake provider are not shipped
PROVIDER = "ray.autoscaler._private.fake_multi_node.node_provider.FakeMultiNodeProvider"


def autoscaling(port: int) -> dict[str, object]:
    """A head without CPUs, and up to three workers of two."""
    worker = {"resources": {"CPU": 2}, "node_config": {}, "min_workers": 0, "max_workers": 3}
    return {
        **read_yaml(DEFAULTS),
        "cluster_name": "fake",
        "max_workers": 3,
        "idle_timeout_minutes": 0.05,
        "provider": {
            "type": "external",
            "module": PROVIDER,
            "gcs_address": f"{ray.util.get_node_ip_address()}:{port}",
            "head_node_id": FAKE_HEAD_NODE_ID,
            "launch_multiple": True,
        },
        "head_node_type": "ray.head.default",
        "available_node_types": {
            "ray.head.default": {"resources": {"CPU": 0}, "node_config": {}, "max_workers": 0},
            "worker": worker,
        },
    }


@pytest.fixture
def joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A driver in a cluster whose head runs the autoscaler that `ray up` uses."""
    port = free_port()
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(autoscaling(port)))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    of_the_head = {
        "AUTOSCALER_UPDATE_INTERVAL_S": "1",
        "RAY_FAKE_CLUSTER": "1",
        "RAY_enable_autoscaler_v2": "1",
        "RAY_CLOUD_INSTANCE_ID": FAKE_HEAD_NODE_ID,
        "RAY_OVERRIDE_NODE_ID_FOR_TESTING": FAKE_HEAD_NODE_ID,
    }
    with monkeypatch.context() as patched:
        for name, value in of_the_head.items():
            patched.setenv(name, value)
        cluster = RayCluster("--num-cpus=0", f"--autoscaling-config={path}", port=port)
    ray.init(address=cluster.address, log_to_driver=False)
    yield
    ray.shutdown()
    cluster.kill()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not within the time: {living_nodes()}"
        time.sleep(0.2)  # other processes are waited for


@pytest.mark.heavy
def test_nodes_come_for_the_actors_of_a_run_and_go_after_it(joined):
    assert [node.cores for node in living_nodes()] == [0]
    keep_room(4, 1.0)
    wait_for(lambda: sorted(node.cores for node in living_nodes()) == [0, 2, 2])
    keep_room(0, 1.0)
    wait_for(lambda: [node.cores for node in living_nodes()] == [0])
