"""An engine on a machine where no kernel was ever compiled."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest

from gobang.players.engine_process import EngineProcess

SECONDS = 300.0


def answer_of(engine: EngineProcess, command: str) -> tuple[str, list[str]]:
    """What is answered, and what is said before."""
    engine.send(command)
    said = []
    while (line := engine.read_line(time.monotonic() + SECONDS)).startswith("MESSAGE"):
        said.append(line)
    return line, said


def test_a_simple_player_stands_in_until_all_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    engine = EngineProcess(shlex.join([sys.executable, "-m", "gobang.gomocup", "--player", "alphabeta"]))
    try:
        answer, said = answer_of(engine, "START 8")
        assert answer == "OK"
        assert said == ["MESSAGE compiling kernels, once on this machine; until that is done a simple player moves"]
        kernels = tmp_path / "gobang" / "kernels"
        assert not list(kernels.glob("advance-*.kernel"))
        engine.send("INFO timeout_turn 1000")
        assert "," in answer_of(engine, "BEGIN")[0]
        deadline = time.monotonic() + SECONDS
        while not list(kernels.glob("advance-*.kernel")) and time.monotonic() < deadline:
            assert answer_of(engine, "RESTART") == ("OK", [])
        assert list(kernels.glob("advance-*.kernel"))
    finally:
        engine.close("END")
