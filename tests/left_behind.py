"""Commands in processes of their own, of which nothing may be left soon after their end."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from gobang.rules import kernel_cache

ENDED_SECONDS = 10.0  # after which nothing of ours may be left
RAY_SECONDS = 90.0  # after which nothing of Ray's may be left
START_SECONDS = 240.0  # for a command to come as far as a test wants it
RAYS_AGENTS = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")
LOOK_SECONDS = 0.05
MARK = "GOBANG_TEST_FAMILY"  # in the environment of a command and of all that it starts


class Command:
    """A command, e.g. `Command("gobang.cli", "web", "--port", "0")`, and every process that was seen below it."""

    def __init__(self, *words: str, environment: dict[str, str] | None = None) -> None:
        self._mark = secrets.token_hex(8)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._seen: dict[int, psutil.Process] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | (environment or {}) | {MARK: self._mark},
            start_new_session=True,
        )

    def says(self, line: str) -> None:
        """Write a line to the command's input."""
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def hears(self, part: str) -> str:
        """Wait for a line of the command's output that holds `part`."""
        assert self._process.stdout
        for line in self._process.stdout:
            if part.encode() in line:
                return line.decode()
        raise AssertionError(f"it never said {part!r}, but: {self._complaints()}")

    def waits_until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition while the command lives, and take note of the processes that it starts."""
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            self._look()
            assert self._process.poll() is None, self._complaints()
            assert time.monotonic() < deadline, self._complaints()
            time.sleep(LOOK_SECONDS)
        self._look()

    def runs(self, word: str) -> int:
        """The number of living processes below the command with a word in their command line."""
        self._look()
        return sum(word in " ".join(_command_line(process)) for process in self._seen.values())

    def busy(self, word: str, count: int = 1) -> bool:
        """Return True if enough processes with a word in their command line have used a second of CPU."""
        self._look()
        found = [each for each in self._seen.values() if word in " ".join(_command_line(each))]
        return sum(_cpu_seconds(each) > 1.0 for each in found) >= count

    def leaves_nothing(self, how: signal.Signals | str = signal.SIGKILL) -> None:
        """End the command by a signal, by a last line or the end of its input (""); assert that nothing is left."""
        self._look()
        if isinstance(how, signal.Signals):
            self._process.send_signal(how)
        else:
            if how:
                self.says(how)
            assert self._process.stdin
            self._process.stdin.close()
        self._process.wait(START_SECONDS)
        began = time.monotonic()
        while left := self._living():
            late = time.monotonic() - began
            of_ours = [words for words in left if words and not _is_rays(words)]
            limit, named = (ENDED_SECONDS, of_ours) if of_ours else (RAY_SECONDS, left)
            assert late < limit, f"left behind after {late:.0f} s: {named}"
            time.sleep(LOOK_SECONDS)

    def close(self) -> None:
        """End whatever is left."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(BrokenPipeError):
                assert stream
                stream.close()
        for process in self._seen.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    def _look(self) -> None:
        """Take note of all that descends from the command, or has its mark and lost its parent."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self._seen |= {each.pid: each for each in psutil.Process(self._process.pid).children(recursive=True)}

    def _living(self) -> list[list[str]]:
        marked = {each.pid: each for each in psutil.process_iter() if _mark_of(each) == self._mark}
        self._seen |= marked
        return [_command_line(each) for each in self._seen.values() if each.pid != self._process.pid and _lives(each)]

    def _complaints(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-2000:]


@contextlib.contextmanager
def begun(*words: str, environment: dict[str, str] | None = None) -> Iterator[Command]:
    """Start a command; at the end nothing of it is left, whatever the test has found."""
    command = Command(*words, environment=environment)
    try:
        yield command
    finally:
        command.close()


def cache_without(folder: Path, kernel: str) -> dict[str, str]:
    """The environment of a machine that has compiled every kernel except one, with its cache in `folder`."""
    kernels = folder / "gobang" / "kernels"
    shutil.copytree(kernel_cache.folder(), kernels, ignore=shutil.ignore_patterns(f"{kernel}-*", ".*"))
    return {"NUMBA_CACHE_DIR": str(folder)}


def compiles(folder: Path, kernel: str) -> bool:
    """Return True if a process compiles a kernel into the cache in `folder`."""
    return (folder / "gobang" / "kernels" / f".{kernel}.lock").exists()


def _mark_of(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error, OSError):
        return process.environ().get(MARK, "")
    return ""


def _command_line(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.Error):
        return [word for word in process.cmdline() if word]  # a process that gave itself a title has empty ones
    return []


def _cpu_seconds(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        return float(process.cpu_times().user)
    return 0.0


def _lives(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _is_rays(words: list[str]) -> bool:
    """Return True for a process of Ray's own; a worker gets a title of ours, such as ray::Learner, with our code."""
    if words and words[0] in RAYS_AGENTS:
        return True
    return any("/ray/" in word for word in words[:3])
