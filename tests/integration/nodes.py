"""A Ray cluster of several nodes on this machine, started as a user starts it: by `ray start` on each node."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import ray

START_SECONDS = 120
OF_A_RUN = ("SelfPlayActor", "InferenceActor", "LearnerActor", "JudgeActor")


class RayNode:
    """One node, with all processes below its `ray start`; `prefix` is put before that command."""

    def __init__(self, temporary: Path, *options: str, prefix: Sequence[str] = ()) -> None:
        command = [*prefix, str(Path(sys.executable).with_name("ray")), "start", "--block", "--disable-usage-stats"]
        ports = ("--min-worker-port=0", "--max-worker-port=0", "--dashboard-agent-listen-port=0")
        self._output = temporary / f"{secrets.token_hex(4)}.out"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_ADDRESS")}
        with self._output.open("w") as output:
            self._process = subprocess.Popen(
                [*command, "--object-store-memory=80000000", *ports, *options],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
            )
        self._wait_until_started()

    def below(self, *names: str) -> list[psutil.Process]:
        """Its living processes; with names only those whose command line holds one of them."""
        try:
            family = psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        return [process for process in family if not names or any(name in command_of(process) for name in names)]

    def is_alive(self) -> bool:
        """Whether its `ray start` has found nothing wrong."""
        return self._process.poll() is None

    def kill(self) -> None:
        """SIGKILL to all processes at once, as if the machine were gone."""
        for process in [*self.below(), psutil.Process(self._process.pid)] if self.is_alive() else []:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._process.wait()

    def _wait_until_started(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while "Ray runtime started" not in self._output.read_text():
            assert self.is_alive(), self._output.read_text()
            assert time.monotonic() < deadline, self._output.read_text()
            time.sleep(0.1)


class RayCluster:
    """A head node and others, in a temporary folder; `address` is where to join."""

    def __init__(self, *options: str, host: str = "", port: int = 0, prefix: Sequence[str] = ()) -> None:
        self.temporary = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # sockets need short paths
        port, client, dashboard = port or free_port(), free_port(), free_port()
        self._host = host or str(ray.util.get_node_ip_address())
        self.address = f"{self._host}:{port}"
        self.nodes = [
            RayNode(
                self.temporary,
                "--head",
                f"--port={port}",
                f"--ray-client-server-port={client}",
                "--include-dashboard=false",
                f"--dashboard-port={dashboard}",
                f"--temp-dir={self.temporary}",
                f"--node-ip-address={self._host}",
                *options,
                prefix=prefix,
            )
        ]

    def add(self, *options: str, host: str | None = None, prefix: Sequence[str] = ()) -> RayNode:
        """A further node."""
        place = (f"--address={self.address}", f"--node-ip-address={host or self._host}")
        self.nodes.append(RayNode(self.temporary, *place, *options, prefix=prefix))
        return self.nodes[-1]

    def kill(self) -> None:
        """End all nodes, and remove their files."""
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self.temporary, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command_of(process: psutil.Process) -> str:
    """The command line, empty if the process has just ended."""
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""
