"""Install the project with all that its developers need into the environment of the Python that runs this.

usage: .venv/bin/python .ci/install.py

First come the packages with known hashes (requirements.lock, which `make lock` writes): pip refuses any other file.
Then torch, without a hash, because its file depends on the machine.  On Linux without an NVIDIA GPU it comes from the
index of its CPU wheels, as its own instructions say: the package of the usual index brings 1.6 GB of CUDA libraries.
Where that index is out of reach the configured one serves.  The project comes last and finds its packages installed;
its setuptools is that of the first step, since build isolation would fetch the newest one without a hash.
Sizes are told before, and a line says how far it is while pip works.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CPU_WHEELS: Final = "https://download.pytorch.org/whl/cpu"
HASHED: Final = ("--require-hashes", "--no-deps", "-r", ".ci/requirements.lock")
_GPU_DEVICES: Final = ("/dev/nvidiactl", "/dev/dxg")  # the second is that of Linux under Windows
_PROBE_SECONDS: Final = 5.0
_SECONDS_ON_TERMINAL: Final = 2.0
_SECONDS_IN_LOG: Final = 10.0
_LAST_LINES: Final = 30  # of pip, shown when it fails
_NEWS: Final = ("Collecting ", "Downloading ", "Processing ", "Building ", "Installing ")


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One call of pip, e.g. `Step(name="torch", arguments=("torch",), megabytes=900)`."""

    name: str
    arguments: tuple[str, ...]
    megabytes: int  # on disk, in the end


def has_gpu() -> bool:
    """Whether there is an NVIDIA GPU here, the only kind that the usual package of torch serves."""
    return any(Path(device).exists() for device in _GPU_DEVICES)


def is_in_reach(index: str) -> bool:
    """Whether an index answers for torch within a few seconds."""
    try:
        with urllib.request.urlopen(f"{index}/torch/", timeout=_PROBE_SECONDS):
            return True
    except OSError:
        return False


def steps(system: str = sys.platform, cpu_wheels: str = CPU_WHEELS) -> Iterator[Step]:
    """Yield the calls of pip in their order."""
    yield Step(name="packages with known hashes (Ray, openvino, numba, ...)", arguments=HASHED, megabytes=1100)
    if system != "linux":
        yield Step(name="torch", arguments=("torch",), megabytes=700)
    elif has_gpu():
        yield Step(name="torch with CUDA, as there is a GPU", arguments=("torch",), megabytes=5000)
    elif is_in_reach(cpu_wheels):
        yield Step(name="torch for CPUs", arguments=("torch", "--extra-index-url", cpu_wheels), megabytes=850)
    else:
        print(f"{cpu_wheels} is out of reach: torch comes from your own index, with CUDA (1.6 GB) if that has no other")
        yield Step(name="torch", arguments=("torch",), megabytes=850)
    yield Step(name="gobang", arguments=("--no-build-isolation", "-e", ".[dev]"), megabytes=0)


def install(step: Step, number: str) -> int:
    """Run pip, say how far it is, and give its exit status; what it says is shown if it fails."""
    command = [sys.executable, "-m", "pip", "install", "--progress-bar", "off", "-c", "constraints.txt"]
    said: deque[str] = deque(maxlen=_LAST_LINES)
    start = time.monotonic()
    with subprocess.Popen(
        [*command, *step.arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout
        reader = threading.Thread(target=said.extend, args=(process.stdout,), daemon=True)
        reader.start()
        while reader.is_alive():
            reader.join(_SECONDS_ON_TERMINAL if sys.stdout.isatty() else _SECONDS_IN_LOG)
            _show(f"{number} {step.name}: {time.monotonic() - start:.0f} s, {_state(said)}")
    if sys.stdout.isatty():
        print()
    if process.returncode:
        sys.stderr.writelines(said)
    return process.returncode


def _state(said: Sequence[str]) -> str:
    """How much lies on the disk, and what pip is at, e.g. "Downloading openvino-2026.4.1-22982-cp311"."""
    news = next((line.split() for line in reversed(tuple(said)) if line.lstrip().startswith(_NEWS)), [""])
    what = Path(news[1]).name.partition("-manylinux")[0] if len(news) > 1 else ""
    return f"{_megabytes(Path(sys.prefix)):,} MB of the environment are on disk; {news[0]} {what}"


def _megabytes(folder: Path) -> int:
    sizes = 0
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            sizes += path.lstat().st_size if path.exists() else 0  # pip moves files about
    return sizes >> 20


def _show(text: str) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(f"\r\x1b[K{text}")
    else:
        sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Install all steps; the status of the one that fails."""
    todo = list(steps())
    total = sum(step.megabytes for step in todo)
    print(f"installing into {sys.prefix}: some {total:,} MB on disk, of which a third is to be fetched", flush=True)
    for number, step in enumerate(todo, 1):
        status = install(step, f"[{number}/{len(todo)}]")
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
