"""What a run asks of an autoscaler, and a cluster that does not come up."""

import json
import os

import pytest
import ray
from ray.experimental.internal_kv import _internal_kv_get

from actors.remote import local_ray
from learner.run.cluster import ClusterUnavailable, keep_room, most_cpus, running_cluster
from learner.run.interrupts import Interrupts
from learner.run.options import LOCAL

BOOTSTRAP = """
max_workers: 3
head_node_type: head
available_node_types:
  head: {resources: {CPU: 8, GPU: 1}, max_workers: 0}
  large: {resources: {CPU: 16}, max_workers: 2}
  small: {resources: {CPU: 4}}
"""


def test_a_cluster_can_grow_to_the_largest_workers_that_its_file_allows(tmp_path):
    assert most_cpus(tmp_path / "none.yaml") == 0
    path = tmp_path / "bootstrap.yaml"
    path.write_text(BOOTSTRAP)
    assert most_cpus(path) == 16 + 16 + 4


def test_what_is_asked_of_the_autoscaler_follows_the_actors():
    with local_ray(cpus=1):
        keep_room(3, 0.5)
        assert asked() == [{"CPU": 0.5}] * 3
        keep_room(0, 0.5)
        assert asked() == []


def asked() -> list[dict[str, float]]:
    return json.loads(_internal_kv_get("autoscaler_resource_request"))


def test_a_node_that_does_not_come_up_in_time_is_told_in_one_line(monkeypatch, tmp_path):
    def time_out(**options: object) -> None:
        raise Exception("The current node timed out during startup.")  # as Ray does

    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setattr("learner.run.cluster.stay_on_loopback", lambda: None)  # for good, and for all tests
    monkeypatch.setattr(ray, "init", time_out)
    interrupts = Interrupts(print)
    starting = running_cluster(LOCAL, "gobang", dashboard=False, insecure=False, interrupts=interrupts)
    with pytest.raises(ClusterUnavailable, match="'local': The current node timed out"), starting:
        pass


@pytest.mark.parametrize(("before", "mode"), [(None, "token"), ("token", "token"), ("disabled", "disabled")])
def test_a_cluster_that_is_started_here_is_told_whether_to_ask_for_a_token(monkeypatch, tmp_path, before, mode):
    told = []
    monkeypatch.setenv("RAY_AUTH_MODE", before or "")
    if before is None:
        monkeypatch.delenv("RAY_AUTH_MODE")
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr("learner.run.cluster.stay_on_loopback", lambda: None)
    monkeypatch.setattr(ray, "init", lambda **options: told.append(os.environ.get("RAY_AUTH_MODE")) or 1 / 0)
    starting = running_cluster(LOCAL, "gobang", dashboard=False, insecure=False, interrupts=Interrupts(print))
    with pytest.raises(ClusterUnavailable), starting:
        pass
    with pytest.raises(ZeroDivisionError), local_ray(cpus=1):
        pass
    assert told == [mode, mode]
