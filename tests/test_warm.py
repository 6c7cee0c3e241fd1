"""Kernels compiled ahead, in an empty cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from gobang.cli import main

PATTERN = ["warm", "--player", "pattern", "--size", "8", "--jobs", "1"]


def test_what_a_player_needs_is_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))  # for the processes that compile
    assert main(PATTERN) == 0
    made = sorted(path.name for path in (tmp_path / "gobang" / "kernels").glob("*.kernel"))
    assert {name.partition("-")[0] for name in made} >= {"urgencies", "outcome_after"}
    assert f"{len(made)} kernels compiled" in capsys.readouterr().out
    assert main(PATTERN) == 0
    assert "all kernels were compiled already" in capsys.readouterr().out


@pytest.mark.heavy
def test_all_is_compiled_that_players_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert main(["warm"]) == 0
    capsys.readouterr()
    for player in ("net:builtin-8x8", "net:builtin-15x15-lines", "uniform:search=gumbel", "max", "easy"):
        assert main(["warm", "--player", player, "--size", "8"]) == 0
        assert "all kernels were compiled already" in capsys.readouterr().out
