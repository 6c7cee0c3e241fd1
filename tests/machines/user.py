"""Somebody at a terminal, who brings up a cluster as docs/cluster.md says; what the terminal shows is recorded."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.docs.pages import ROOT

COMMAND_SECONDS = 900
CLUSTER = "cluster.yaml"
CTRL_C = b"\x03"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Command:
    """A command that was begun in a terminal."""

    def __init__(self, process: subprocess.Popen[str], keyboard: int) -> None:
        self._process, self._keyboard = process, keyboard

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @property
    def status(self) -> int:
        """With which it has ended."""
        return self._process.wait()

    def hears(self, keys: bytes) -> None:
        """Somebody types."""
        os.write(self._keyboard, keys)

    def ends(self) -> str:
        """Wait until it does; all that it has printed."""
        return clean(self._process.communicate(timeout=COMMAND_SECONDS)[0])


class User:
    """Has a home with a key and a token, and a terminal in the root of the repository."""

    def __init__(self, home: Path, record: Path) -> None:
        self.home, self._record = home, record
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin:/sbin"
        dropped = ("RAY_ADDRESS", "RAY_AUTH_MODE", "PYTHONPATH", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        self._environment = {**kept, "HOME": str(home), "PATH": path, "RAY_UP_enable_autoscaler_v2": "0"}
        (home / ".ssh").mkdir(parents=True)
        self._key = home / ".ssh" / "id_ed25519"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._key], check=True)
        self.public_key = self._key.with_suffix(".pub").read_text()
        record.write_text("")

    def changes(self, head: str, workers: list[str]) -> None:
        """Make the cluster's file of docker/on-premise.yaml, with other values where that says CHANGE."""
        config = yaml.safe_load((ROOT / "docker" / "on-premise.yaml").read_text(encoding="utf8"))
        config["provider"] |= {"head_ip": head, "worker_ips": workers}
        config["auth"] = {"ssh_user": "root", "ssh_private_key": str(self._key)}
        (self.home / CLUSTER).write_text(yaml.safe_dump(config, sort_keys=False))

    def runs(self, command: str, *, recorded: bool = True) -> str:
        """A command, where `CLUSTER` stands for the cluster's file, and what it prints; it must succeed."""
        status, said = self._prints(command)
        assert status == 0, f"{command}\n{said}"
        if recorded:
            self.records(command, said)
        return said

    @contextmanager
    def begins(self, command: str) -> Iterator[Command]:
        """A command that goes on meanwhile, and is ended at last."""
        line = command.replace("CLUSTER", str(self.home / CLUSTER))
        keyboard, terminal = os.openpty()  # ssh passes on how its terminal is set: without one Ctrl-C means nothing
        pipes = {"stdin": terminal, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        with subprocess.Popen(
            line, shell=True, cwd=ROOT, env=self._environment, text=True, start_new_session=True, **pipes
        ) as process:
            os.close(terminal)
            try:
                yield Command(process, keyboard)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, 15)
                os.close(keyboard)

    def waits(self, command: str, condition: Callable[[str], object], during: Command | None = None) -> str:
        """Repeat a command until what it prints fulfils the condition, while another goes on."""
        deadline = time.monotonic() + COMMAND_SECONDS
        while not condition(said := self._prints(command)[1]):
            assert time.monotonic() < deadline, said
            assert during is None or during.goes_on, during.ends()
            time.sleep(1)  # other processes are waited for
        self.records(command, said)
        return said

    def _prints(self, command: str) -> tuple[int, str]:
        with self.begins(command) as begun:
            said = begun.ends()
        return begun.status, said

    def records(self, command: str, said: str) -> None:
        """Write down what the terminal shows."""
        with self._record.open("a") as record:
            record.write(f"$ {command}\n{said.rstrip()}\n\n")


def clean(text: str) -> str:
    """Without colours, and as a terminal leaves a line that is overwritten."""
    return "\n".join(line.rpartition("\r")[2] for line in _COLOURS.sub("", text).replace("\r\n", "\n").splitlines())
