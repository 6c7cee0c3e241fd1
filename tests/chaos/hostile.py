"""Files that want to run code, or to fill the memory of who opens them."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gobang.run_folder import state_path, weights_path
from tests.chaos.case import GOES_ON_SECONDS, PATIENCE, Case, hold
from tests.chaos.stage import Stage
from tests.integration.launched import ROOT

MOST_MEMORY: Final = 900 << 20  # bytes that a command may have resident; torch alone takes a third of it
MOST_LINES: Final = 4  # of its message
_SECONDS: Final = 60.0 * PATIENCE
_ZEROS: Final = 1 << 30  # bytes that a bomb unpacks to
_TERRIBLE: Final = 1 << 62


class Canary:
    """What runs when it is unpickled: it leaves a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self._path}",)


def open_files(stage: Stage, number: int) -> float:
    """Every command that opens a file gets hostile ones; then the run finds some in its own folder."""
    place, canary = Path(tempfile.mkdtemp(dir=stage.place)), stage.place / f"canary-{number}"
    for command in commands(place, canary):
        code, text, memory = attempt(command)
        what = " ".join(Path(word).name for word in command)
        hold(not canary.exists(), f"{what}: the canary ran")
        hold(code not in (0, None), f"{what}: status {code}")
        hold("Traceback" not in text, f"{what}: {text[-600:]}")
        hold(text.count("\n") <= MOST_LINES, f"{what}: {text}")
        hold(memory <= MOST_MEMORY, f"{what}: {memory >> 20} MB")
    trial = stage.trial()
    learner = trial.process("learner")
    learner.suspend()
    mark = trial.mark()
    for step, path in enumerate((weights_path, state_path), start=1):
        path(trial.folder, mark.version + step).write_bytes(pickle.dumps(Canary(canary)))
    state_path(trial.folder, mark.version + 1).write_bytes(huge_header())
    learner.kill()
    seconds = trial.learns_on(mark)
    trial.tells(mark, f"checkpoint {mark.version + 1} cannot be used", GOES_ON_SECONDS)
    hold(not canary.exists(), "the canary ran in the learner")
    return seconds


def commands(place: Path, canary: Path) -> Iterator[list[str]]:
    """The words of `gobang` for each file."""
    for name, content in weights(canary).items():
        path = place / name
        path.write_bytes(content)
        yield ["match", "--a", f"net:{path},sims=2", "--b", "random", "--games", "2", "--size", "5"]
        yield ["train", "--preset", "tiny", "--run", str(place / "run"), "--set", f"learner.begin_with={path}"]
    for name, text in presets(canary).items():
        path = place / name
        path.write_text(text)
        yield ["train", "--preset", str(path), "--run", str(place / "run")]
        folder = place / f"run-{name}"
        folder.mkdir()
        shutil.copy(path, folder / "config.yaml")
        yield ["train", "--resume", "--run", str(folder)]


def weights(canary: Path) -> dict[str, bytes]:
    """Files that are no weights."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("data.pkl", "w") as file:
        for _ in range(_ZEROS >> 24):
            file.write(bytes(1 << 24))
    return {
        "pickle.safetensors": pickle.dumps(Canary(canary)),
        "bomb.safetensors": bomb.getvalue(),
        "header.safetensors": huge_header(),
        "claims.safetensors": huge_claims(),
    }


def huge_header() -> bytes:
    """A file of weights whose header would be of exabytes."""
    return struct.pack("<Q", _TERRIBLE) + b"{}"


def huge_claims() -> bytes:
    """A header that promises a tensor of exabytes."""
    header = {"a": {"dtype": "F32", "shape": [1 << 30, 1 << 30], "data_offsets": [0, _TERRIBLE]}}
    text = json.dumps({**header, "__metadata__": {"sha256": "0" * 64, "gobang": "{}"}}).encode()
    return struct.pack("<Q", len(text)) + text


def presets(canary: Path) -> dict[str, str]:
    """YAML that wants to run code, or to grow."""
    laughs = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return {
        "tag.yaml": f"seed: !!python/object/apply:os.system ['touch {canary}']\n",
        "new.yaml": f"!!python/object/new:os.system ['touch {canary}']\n",
        "laughs.yaml": "\n".join(laughs) + "\n",
        "deep.yaml": "seed: " + "[" * 20_000 + "\n",
    }


def attempt(words: list[str]) -> tuple[int | None, str, int]:
    """Status, output and the most memory of `gobang WORDS`; no status if it takes too long."""

    command = [sys.executable, "-c", _MEASURED, *words]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return None, "", 0
    text = done.stdout + done.stderr
    peak = re.search(r"^peak (\d+)$", text, re.MULTILINE)
    return done.returncode, re.sub(r"^peak \d+\n", "", text, flags=re.MULTILINE), int(peak[1]) << 10 if peak else 0


_MEASURED: Final = """
import atexit, resource, sys
atexit.register(lambda: print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True))
from gobang.cli import main
sys.exit(main())
"""

CASES: Final = (
    Case(
        number=19,
        name="hostile files",
        passes="no canary runs, each is refused in a few lines and under 900 MB; the learner goes on within 30 s",
        strike=open_files,
        release=5,
    ),
)
