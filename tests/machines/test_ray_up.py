"""`ray up` on two machines, runs on both, weights fetched meanwhile, notice to one, `ray down`, and nothing left."""

import json
import os
import re
import socket
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from gobang.network.checkpoint import load_checkpoint
from tests.docs.pages import ROOT
from tests.machines.machine import Machine, Network, furnish
from tests.machines.user import CTRL_C, User

HEAD, WORKER = "10.77.0.2", "10.77.0.3"
PORT = 18265
DASHBOARD = f"http://127.0.0.1:{PORT}"
RECORD = ROOT / "build" / "cluster-test.txt"
SSH = "-i ~/.ssh/id_ed25519 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
DRAIN = "ray drain-node --reason DRAIN_NODE_REASON_PREEMPTION --reason-message spot --deadline-remaining-seconds 110"
ENDED_SECONDS = 60  # Ray's agents notice that their node is gone, and end, a little after it
CPUS = 2 * len(os.sched_getaffinity(0))


@pytest.fixture
def user(tmp_path: Path) -> User:
    RECORD.parent.mkdir(exist_ok=True)
    return User(tmp_path / "user", RECORD)


@pytest.fixture
def machines(user: User) -> Iterator[list[Machine]]:
    assert [name for _, name in socket.if_nameindex()] == ["lo"], "run me by `make cluster-test`"
    network = Network()
    machines = [Machine(network, name, at, user.public_key) for name, at in (("head", HEAD), ("worker", WORKER))]
    for machine in machines:
        furnish(machine.home)
    yield machines
    for machine in machines:
        machine.end()


def actors_by_node(dashboard: str, token: str) -> Counter[str]:
    """How many actors play on each node, as the dashboard knows them, which remembers those of ended runs, too."""
    asked = urllib.request.Request(f"{dashboard}/logical/actors", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        actors = json.load(answer)["data"]["actors"].values()
    living = [str(actor["name"]) for actor in actors if actor["state"] == "ALIVE"]
    names = [re.fullmatch(r"self_play:\d\d@([\d.]+)-\w+", name) for name in living]
    return Counter(found[1] for found in names if found)


def values(said: str) -> dict[str, float]:
    """The last line of a run's metrics among what a terminal shows."""
    lines = [line for line in said.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {}


@pytest.mark.cluster
def test_a_cluster_comes_up_learns_hands_out_weights_and_goes(user, machines):
    user.runs("ray get-auth-token --generate > ~/token && rm ~/token", recorded=False)
    token = (user.home / ".ray" / "auth_token").read_text().strip()
    user.changes(HEAD, [WORKER])
    user.runs("ray up -y CLUSTER")
    user.waits("ray exec CLUSTER 'ray status'", lambda said: f"/{CPUS}.0 CPU" in said)

    launch = "ray submit CLUSTER learner/launch.py -- --actors 16 --preset 5x5"
    look = "ray exec CLUSTER 'tail -n 1 runs/{}/metrics.jsonl || true'"
    with user.begins(launch) as training:
        user.waits(look.format("5x5-1"), lambda said: values(said).get("actors") == 16, training)
        user.waits(look.format("5x5-1"), lambda said: values(said).get("version", 0) >= 1, training)
        user.runs("ray exec CLUSTER 'gobang pull --run runs/5x5-1 --which latest --out newest.safetensors'")
        user.runs("ray rsync-down CLUSTER '~/newest.safetensors' ~/newest.safetensors")
        training.hears(CTRL_C)
        said = training.ends()
    user.records(launch, said)
    assert "stopped" in said, said
    user.runs("ray rsync-down CLUSTER '~/runs/' ~/runs/")
    last = json.loads((user.home / "runs" / "5x5-1" / "summary.json").read_text())["values"]
    pulled = load_checkpoint((user.home / "newest.safetensors").read_bytes()).version
    assert 0 <= pulled <= last["version"]

    with user.begins(f"ray dashboard CLUSTER --port {PORT}"):
        user.waits(f"curl -s {DASHBOARD}", lambda said: "<html" in said)
        job = f"--address {DASHBOARD} --no-wait -- python -m learner.launch --actors 16"
        submitted = user.runs(f"RAY_AUTH_MODE=token ray job submit {job}")
        user.waits(look.format("8x8-1"), lambda said: values(said).get("actors") == 16)
        assert actors_by_node(DASHBOARD, token) == {HEAD: 8, WORKER: 8}
        user.runs(f"ssh {SSH} root@{WORKER} bash -lc \"'{DRAIN}'\"")
        log = "ray exec CLUSTER 'cat runs/8x8-1/log'"
        user.waits(log, lambda said: f"node {WORKER} has notice to go, and with it inference" in said)
        name = re.search(r"raysubmit_\w+", submitted)[0]
        user.runs(f"RAY_AUTH_MODE=token ray job stop --address {DASHBOARD} {name}")
        user.runs(f"RAY_AUTH_MODE=token ray job logs --address {DASHBOARD} {name}")

    user.runs("ray down -y CLUSTER")
    _, left = psutil.wait_procs([process for machine in machines for process in machine.processes()], ENDED_SECONDS)
    assert not left
