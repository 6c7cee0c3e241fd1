"""A package that is missing, or that another project has replaced, is named in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gobang
from gobang.packages import named

HOME = Path(gobang.__file__).parents[1]


def play(path: Path) -> subprocess.CompletedProcess[str]:
    """`gobang pull`, which is refused for its arguments if nothing is refused before; `path` comes before our own."""
    command = [sys.executable, "-m", "gobang.cli", "pull", "--run", "none", "--out", "none"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), str(HOME)])}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=path)


def test_ours_pass(tmp_path: Path) -> None:
    assert "has no weights" in play(tmp_path).stderr


def test_a_package_that_comes_first_is_named(tmp_path: Path) -> None:
    (tmp_path / "evaluator").mkdir()
    (tmp_path / "evaluator" / "__init__.py").write_text('"""Evaluates things."""\n')
    done = play(tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"gobang pull: error: the package 'evaluator' in {tmp_path / 'evaluator'} is another")
    assert done.stderr.count("\n") == 1


def test_a_package_that_was_written_over_ours_is_named(tmp_path: Path) -> None:
    for name in ("gobang", "actors", "learner", "evaluator"):
        shutil.copytree(HOME / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert "has no weights" in play(tmp_path).stderr
    (tmp_path / "actors" / "__init__.py").write_text('"""Actors of another kind."""\n')
    assert "the package 'actors'" in play(tmp_path).stderr


def test_the_engine_needs_gobang_alone(tmp_path: Path) -> None:
    shutil.copytree(HOME / "gobang", tmp_path / "gobang", ignore=shutil.ignore_patterns("__pycache__", "builtin"))
    command = [sys.executable, "-m", "gobang.gomocup", "--player", "random"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, input="END\n", capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("module", "extra", "message"),
    [
        ("ray.util", "train", "this needs ray, which is not installed: pip install 'gobang-zero[train]'"),
        ("numba", "", "this needs numba, which is not installed: pip install 'gobang-zero'"),
        ("learner.lost", "train", "None"),
        ("json.lost", "train", "None"),
    ],
)
def test_what_comes_from_outside_is_named_with_what_brings_it(module: str, extra: str, message: str) -> None:
    assert str(named(ModuleNotFoundError(f"No module named {module!r}", name=module), extra)) == message
