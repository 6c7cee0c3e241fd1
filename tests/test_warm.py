"""Kernels compiled ahead, in an empty cache."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from gobang.players import trained
from gobang.progress import Progress
from gobang.warm import all_tasks, warm

PATTERN = ("--player", "pattern", "--size", "8", "--jobs", "1")


def warmed(*arguments: str) -> str:
    """Run `gobang warm` in a process that uses the cache named by the environment; return its output."""
    done = subprocess.run([sys.executable, "-m", "gobang.warm", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def test_what_a_player_needs_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said = warmed(*PATTERN)
    made = sorted(path.name for path in (tmp_path / "gobang" / "kernels").glob("*.kernel"))
    assert {name.partition("-")[0] for name in made} >= {"urgencies", "outcome_after"}
    assert f"{len(made)} kernels compiled" in said
    assert "all kernels were compiled already" in warmed(*PATTERN)


def add(names: list[str]) -> None:
    names.append("")


def fail() -> None:
    raise ValueError("no kernel")


def test_several_tasks_run_side_by_side_and_a_failure_leaves_no_process(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(2, sys.stderr, unit="tasks")
    assert warm([partial(add, []), partial(add, [])], 2, progress) == 0
    with pytest.raises(ValueError, match="no kernel"):
        warm([fail, partial(signal.pause)], 2, progress)  # the other task would never end
    assert not multiprocessing.active_children()


def test_networks_that_a_package_left_out_are_not_compiled_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "net:builtin-15x15-lines" in repr(all_tasks())
    monkeypatch.setattr(trained, "FOLDER", tmp_path)
    assert "net:" not in repr(all_tasks())


@pytest.mark.heavy
def test_all_is_compiled_that_players_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    warmed()
    for player in ("net:builtin-8x8", "net:builtin-15x15-lines", "uniform:search=gumbel", "max", "easy"):
        assert "all kernels were compiled already" in warmed("--player", player, "--size", "8")
