"""A cluster of our own, as other users of the machine and of the network meet it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.integration.nodes import RayCluster
from tests.learner.run import cluster_process
from tests.learner.run.strangers import AS_ROOT, stranger_does

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def cluster(open_homes: Path) -> Iterator[SimpleNamespace]:
    """What a launcher starts under a umask that hides nothing, for a user without a token."""
    removed = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_TMPDIR")
    environment = {name: value for name, value in os.environ.items() if name not in removed}
    with subprocess.Popen(
        [sys.executable, cluster_process.__file__, "local"],
        env={**environment, "HOME": str(open_homes), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        umask=0,
        text=True,
    ) as process:
        known = json.loads(process.stdout.readline())
        yield SimpleNamespace(**known, pid=process.pid, home=open_homes, token=open_homes / ".ray/auth_token")
        process.stdin.close()
    assert process.returncode == 0
    assert not Path(known["session"]).parent.exists()


@AS_ROOT
def test_another_user_reads_no_token_and_enters_no_session(cluster):
    assert cluster.login == f"log in with the token in {cluster.token}"
    (latest,) = Path(cluster.session).glob("session_latest/sockets")
    assert list(latest.iterdir())
    assert not stranger_does("cat", cluster.token)
    assert not stranger_does("ls", latest)


def test_nothing_listens_beyond_this_machine(cluster):
    process = psutil.Process(cluster.pid)
    held = [each for one in (process, *process.children(recursive=True)) for each in one.net_connections("inet")]
    hosts = {each.laddr.ip.removeprefix("::ffff:") for each in held if each.status == psutil.CONN_LISTEN}
    assert hosts == {"127.0.0.1"}


def pulled(address: str, *options: str, **variables: str) -> str:
    """What a guest is told who wants weights of a cluster without a learner."""
    command = [sys.executable, "-m", "learner.pull", "--address", address, "--out", "no such file", *options]
    guest = subprocess.run(
        command, env={**os.environ, **variables}, cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    return guest.stderr


def test_a_guest_of_this_machine_is_let_in_with_the_token(cluster):
    assert "0 learners: none" in pulled(cluster.address, HOME=str(cluster.home))


def joined(address: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What comes of joining a cluster, and leaving it at once."""
    return subprocess.run(
        [sys.executable, cluster_process.__file__, address, *options],
        env={**os.environ, **variables, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_cluster_that_wants_a_token_is_joined(cluster):
    # Without the variable Ray would look for it at the machine's address in the network.
    answer = joined(cluster.address, HOME=str(cluster.home), RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["login"] == f"log in with the token in {cluster.token}"


def test_a_cluster_that_lets_everybody_in_is_refused_unless_that_is_accepted(monkeypatch):
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    cluster = RayCluster("--num-cpus=1")
    monkeypatch.delenv("RAY_AUTH_MODE")
    try:
        refused = joined(cluster.address)
        assert refused.returncode == 1
        assert "ClusterOpen: the Ray cluster at" in refused.stderr
        assert "--insecure" in refused.stderr
        accepted = joined(cluster.address, "--insecure")
        assert accepted.returncode == 0, accepted.stderr
        assert json.loads(accepted.stdout)["login"] == "no login"
        assert "asks for no token" in pulled(cluster.address)
        assert "0 learners: none" in pulled(cluster.address, "--insecure")
    finally:
        cluster.kill()
