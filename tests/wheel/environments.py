"""The built wheel in an environment of its own, as its users install it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """Where the wheel was installed with an extra, and a folder to work in."""

    extra: str
    bin: Path
    folder: Path

    def run(self, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a line as in a shell where the environment is active; nothing of the source tree is in reach."""
        outside = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
        path = os.pathsep.join([str(self.bin), os.environ["PATH"]])
        return subprocess.run(
            ["/bin/sh", "-c", command],
            input=typed,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**outside, "PATH": path},
            timeout=900,
        )


def build_wheel(folder: Path) -> Path:
    """The wheel of this source tree."""
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("gobang_zero-*.whl")
    return wheel


def make_environment(folder: Path) -> Environment:
    """An environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    (folder / "work").mkdir()
    return Environment(extra="", bin=folder / "venv" / "bin", folder=folder / "work")


def install(wheel: Path, extra: str, environment: Environment) -> Environment:
    """The environment with the wheel and what the extra brings, on top of what it had."""
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    _pip(str(environment.bin / "python"), "install", "-c", str(ROOT / "constraints.txt"), wanted)
    return replace(environment, extra=extra)


def _pip(python: str, *arguments: str) -> None:
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, "-m", "pip", *arguments], capture_output=True, text=True, env=outside)
    assert done.returncode == 0, done.stdout + done.stderr
