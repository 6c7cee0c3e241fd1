"""A run of the `tiny` preset in a process of its own, as a user starts it."""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
LOOK_SECONDS = 0.2


class Launched:
    """A launcher, and every process that was ever seen below it."""

    def __init__(
        self,
        run: Path,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        module: str = "learner.launch",
    ) -> None:
        self.run = run
        self.seen: dict[int, psutil.Process] = {}
        self._output = run.with_name(f"{run.name}.{secrets.token_hex(4)}.out")
        with self._output.open("w") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, "--run", str(run), "--actors", "2", *arguments],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def output(self) -> str:
        """What it has printed."""
        return self._output.read_text()

    def look(self) -> bool:
        """Take note of its processes, a moment later; whether it still runs."""
        self.seen |= {child.pid: child for child in self.living()[1:]}
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LOOK_SECONDS)
        return self._process.poll() is None

    def living(self) -> list[psutil.Process]:
        """The launcher and all processes below it now; empty after its end."""
        try:
            launcher = psutil.Process(self._process.pid)
            return [launcher, *launcher.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def wait_for(self, condition: Callable[[dict[str, float]], bool], seconds: float = 120) -> dict[str, float]:
        """The metrics as soon as they fulfil the condition."""
        deadline = time.monotonic() + seconds
        while self.look():
            values = self.values()
            if values and condition(values):
                return values
            assert time.monotonic() < deadline, f"{values}\n{self.output}\n{self.log()}"
        raise AssertionError(f"the run ended early\n{self.output}\n{self.log()}")

    def end(self, signal: int | None = None) -> int:
        """Wait for the end, after a signal if one is given; the exit status."""
        if signal is not None:
            self._process.send_signal(signal)
        while self.look():
            pass
        return self._process.wait()

    def kill(self) -> None:
        """End it and all that it started, whatever they do."""
        for process in [self._process, *self.seen.values()]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._process.wait()

    def leftovers(self) -> list[str]:
        """Processes of this run that still live."""
        alive = psutil.wait_procs(list(self.seen.values()), timeout=10)[1]
        return [" ".join(process.cmdline()) for process in alive if process.status() != psutil.STATUS_ZOMBIE]

    def part(self, name: str) -> psutil.Process:
        """The newest living process whose command line begins with or holds the name."""
        self.look()
        living = [child for child in self.seen.values() if child.is_running() and name in _command(child)]
        return max(living, key=psutil.Process.create_time)

    def values(self) -> dict[str, float]:
        """The metrics written last, empty before the first."""
        path = self.run / "metrics.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return json.loads(lines[-1]) if lines else {}

    def summary(self) -> dict[str, object]:
        """What summary.json holds."""
        return json.loads((self.run / "summary.json").read_text())

    def log(self) -> str:
        """The run's log."""
        path = self.run / "log"
        return path.read_text() if path.exists() else ""


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""
