"""The built wheel in an environment of its own, as its users install it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """An environment where the wheel was installed with an extra, and a folder to work in."""

    extra: str
    bin: Path
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def run(self, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a line as in a shell where the environment is active; nothing of the source tree is in reach."""
        path = os.pathsep.join([str(self.bin), os.environ["PATH"]])
        return subprocess.run(
            ["/bin/sh", "-c", command],
            input=typed,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**outside(), "PATH": path, **self.variables},
            timeout=900,
        )


def source_files() -> list[str]:
    """Return the project's files, relative to ROOT: those that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return sorted(name for name in listed.split("\0") if (ROOT / name).is_file())


def copy_sources(folder: Path) -> Path:
    """Copy the project without what builds leave behind: setuptools would put old files of build/ into a wheel."""
    for name in source_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def build_wheel(folder: Path) -> Path:
    """Return the wheel of this source tree."""
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(copy_sources(folder / "source")))
    (wheel,) = folder.glob("gobang_zero-*.whl")
    return wheel


def make_environment(folder: Path) -> Environment:
    """Return an environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    (folder / "work").mkdir()
    return Environment(extra="", bin=folder / "venv" / "bin", folder=folder / "work")


def install_tools(environment: Environment, *tools: str) -> Environment:
    """Install programs from the configured index."""
    _pip(str(environment.bin / "python"), "install", *tools)
    return environment


def install(wheel: Path, extra: str, environment: Environment) -> Environment:
    """Add the wheel and what the extra brings to the environment."""
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    _pip(str(environment.bin / "python"), "install", "-c", str(ROOT / "constraints.txt"), wanted)
    return replace(environment, extra=extra)


def outside() -> dict[str, str]:
    """Return the variables of this process without those that bring the source tree into reach."""
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}


def _pip(python: str, *arguments: str) -> None:
    done = subprocess.run([python, "-m", "pip", *arguments], capture_output=True, text=True, env=outside())
    assert done.returncode == 0, done.stdout + done.stderr
