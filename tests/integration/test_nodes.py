import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from gobang.run_folder import RunFolder
from gobang.types import Variant
from learner.replay.pool.redis_claim import pool_name
from learner.replay.pool.redis_pool import RedisPool, connect
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.replay_pool import START
from tests.integration.launched import Launched
from tests.integration.nodes import OF_A_RUN, RayCluster

SECONDS = 240  # for whatever has to happen on a busy machine
GAME = Variant.square(5, k=4)
KEEP = ("--set", "replay.keep=1000000")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[RayCluster]:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    cluster = RayCluster("--num-cpus=1")
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)  # where "auto" looks first
    yield cluster
    cluster.kill()


@pytest.fixture
def launch() -> Iterator[Callable[..., Launched]]:
    started = []

    def start(run: Path, *arguments: str) -> Launched:
        started.append(Launched(run, "--preset", "tiny", "--address", "auto", "--insecure", *KEEP, *arguments))
        return started[-1]

    yield start
    for launched in started:
        launched.kill()


def wait_for(condition: Callable[[], object], seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "not within the time"
        time.sleep(0.1)  # other processes are waited for


def wait_for_progress(launched: Launched) -> None:
    """Until more games are stored and newer weights are published than now."""
    before = launched.values()
    launched.wait_for(
        lambda values: values["games"] > before["games"] and values["version"] > before["version"], seconds=SECONDS
    )


def players(launched: Launched) -> set[str]:
    """Names of all processes that have stored a game, e.g. self_play:02@10.0.0.7-1f3a90c2-5e6f7a8b."""
    redis = connect(f"unix://:{(launched.run / 'redis/password').read_text().strip()}@{launched.run}/redis/redis.sock")
    name = pool_name(f"gobang-{launched.run.name}", RunFolder(launched.run).identity())
    return {actor.decode() for actor in redis.hkeys(f"{name}:actors")}


def plays(launched: Launched, actor: int, before: set[str] = frozenset()) -> bool:
    return any(name.startswith(f"self_play:{actor:02}@") for name in players(launched) - before)


def asks_by_tcp(launched: Launched, actor: psutil.Process) -> bool:
    """Whether an actor is connected to the port on which the last server that started listens."""
    port = int(re.findall(r"listening at unix:\S+ and tcp:[\d.]+:(\d+)", launched.log())[-1])
    return any(held.raddr and held.raddr.port == port for held in actor.net_connections("tcp"))


def games_once(run: Path) -> int:
    """How many games the pool of a run that has ended holds: each once, and none missing between two of an actor."""
    server = RedisServer(run / "redis")
    server.start()
    try:
        pool = RedisPool(server.local_url, GAME, name=f"gobang-{run.name}")
        read, games = pool.read_since(START, 1_000_000), pool.counters().games
        names = [game.id for game in read.games]
        assert (len(names), read.missed, read.rejected) == (games, 0, [])
        by_actor: dict[str, list[int]] = {}
        for actor, _, number in (name.partition("/") for name in names):
            by_actor.setdefault(actor, []).append(int(number))
        assert all(numbers == list(range(len(numbers))) for numbers in by_actor.values())
    finally:
        server.stop()
    return games


def left(cluster: RayCluster, launched: Launched) -> list[object]:
    """Processes of a run, and the sockets of its servers, but for those that were killed with their node."""
    sockets = [Path(path) for path in re.findall(r"listening at unix:(\S+)", launched.log())]
    return [
        *(process for node in cluster.nodes for process in node.below(*OF_A_RUN)),
        *(path for path in sockets if path.exists() and not path.name.endswith("-0")),
    ]


@pytest.mark.heavy
def test_a_run_on_three_nodes_survives_the_death_of_two(tmp_path, cluster, launch):
    plain, with_gpu = cluster.add("--num-cpus=1"), cluster.add("--num-cpus=1", "--num-gpus=1")
    launched = launch(tmp_path / "run", "--actors", "3")
    launched.wait_for(lambda values: values["version"] >= 1, seconds=SECONDS)
    wait_for(lambda: all(plays(launched, actor) for actor in range(3)))
    actors = [node.below("SelfPlayActor") for node in cluster.nodes]
    assert [[asks_by_tcp(launched, actor) for actor in processes] for processes in actors] == [[True], [True], [False]]
    (of_gpu,) = map(int, re.findall(r"node \S+: inference 0, actor (\d)", launched.log()))
    (of_plain,) = {1, 2} - {of_gpu}  # the first is on the node of the launcher
    assert cluster.nodes[0].below("LearnerActor")
    assert cluster.nodes[0].below("JudgeActor")

    plain.kill()
    wait_for_progress(launched)
    launched.wait_for(lambda _: f"with it actor {of_plain}; waiting for free CPUs: actor {of_plain}" in launched.log())
    before = players(launched)
    cluster.add("--num-cpus=1")
    launched.wait_for(lambda _: f"has joined: actor {of_plain}" in launched.log(), seconds=SECONDS)
    wait_for(lambda: plays(launched, of_plain, before))

    (server,) = with_gpu.below("InferenceActor")
    server.kill()
    wait_for(lambda: launched.log().count("listening at") == 2)
    (on_head,) = cluster.nodes[0].below("SelfPlayActor")
    wait_for(lambda: asks_by_tcp(launched, on_head))  # at another port than before
    wait_for_progress(launched)
    with_gpu.kill()
    launched.wait_for(lambda _: f"with it inference 0, actor {of_gpu}; waiting" in launched.log(), seconds=SECONDS)
    wait_for_progress(launched)
    assert len(cluster.nodes[0].below("InferenceActor")) == 1
    assert launched.end(signal.SIGINT) == 0, launched.output + launched.log()
    games = launched.summary()["values"]["games"]
    wait_for(lambda: left(cluster, launched) == [])
    assert cluster.nodes[0].is_alive()
    assert games_once(launched.run) >= games


def drain(cluster: RayCluster, host: str) -> None:
    """Tell Ray that the node of an address goes in two minutes."""
    (node,) = [node["NodeID"] for node in nodes_of(cluster) if node["NodeManagerAddress"] == host]
    ray = Path(sys.executable).with_name("ray")
    reason = ("--reason", "DRAIN_NODE_REASON_PREEMPTION", "--reason-message", "test")
    command = [ray, "drain-node", "--address", cluster.address, "--node-id", node, *reason]
    subprocess.run([*command, "--deadline-remaining-seconds", "120"], check=True, timeout=SECONDS)


def nodes_of(cluster: RayCluster) -> list[dict[str, str]]:
    """What Ray knows of the nodes."""
    program = "import json, ray, sys; ray.init(sys.argv[1], log_to_driver=False); print(json.dumps(ray.nodes()))"
    command = [sys.executable, "-c", program, cluster.address]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=SECONDS).stdout)


@pytest.mark.heavy
def test_a_node_with_notice_is_left_in_good_order(tmp_path, cluster, launch):
    leaving = cluster.add("--num-cpus=2", host="127.0.0.2")
    launched = launch(tmp_path / "run", "--actors", "3")
    launched.wait_for(lambda values: values["version"] >= 1, seconds=SECONDS)
    wait_for(lambda: all(plays(launched, actor) for actor in range(3)))
    assert len(leaving.below("SelfPlayActor")) == 2

    drain(cluster, "127.0.0.2")
    launched.wait_for(lambda _: "node 127.0.0.2 has notice to go, and with it" in launched.log(), seconds=SECONDS)
    wait_for(lambda: leaving.below(*OF_A_RUN) == [])
    wait_for_progress(launched)
    assert "is killed" not in launched.log()  # they stopped by themselves
    assert "restarts" not in launched.output
    before = players(launched)
    joined = cluster.add("--num-cpus=2", host="127.0.0.3")
    launched.wait_for(lambda _: "node 127.0.0.3 has joined: inference" in launched.log(), seconds=SECONDS)
    wait_for(lambda: len(joined.below("SelfPlayActor")) == 2 and len(players(launched) - before) == 2)
    assert leaving.below(*OF_A_RUN) == []
    assert launched.end(signal.SIGINT) == 0, launched.output + launched.log()
    assert games_once(launched.run) >= launched.summary()["values"]["games"]
