"""The engine keeps to the limit of memory that its manager gives, measured from outside."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from gobang.machine import peak_mb
from gobang.players.engine_process import EngineProcess

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read as Linux tells it"),
]

OPEN_GAME = ("7,7,1", "8,8,2", "7,9,1", "9,7,2")
SECONDS = 4.0


def resident_mb(engine: EngineProcess) -> int:
    pages = int(Path(f"/proc/{engine.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def move(engine: EngineProcess, *lines: str) -> float:
    """Seconds until the engine moves."""
    started = time.monotonic()
    for line in lines:
        engine.send(line)
    while "," not in (answer := engine.read_line(started + 60)):
        assert not answer.startswith(("ERROR", "UNKNOWN")), answer
    return time.monotonic() - started


@pytest.mark.parametrize(
    ("player", "threads", "limit"),
    [("net:builtin-15x15-lines", 1, 270), ("net:builtin-15x15", 1, 400)],
)
def test_an_engine_that_fills_its_trees_stays_below_the_limit(player: str, threads: int, limit: int) -> None:
    engine = EngineProcess(shlex.join([sys.executable, "-m", "gobang.gomocup", "--player", player]))
    try:
        for line in (f"max_memory {limit << 20}", f"timeout_turn {1000 * SECONDS:.0f}", f"thread_num {threads}"):
            engine.send(f"INFO {line}")
        engine.send("START 15")
        while engine.read_line(time.monotonic() + 120) != "OK":
            pass
        assert move(engine, "BOARD", *OPEN_GAME, "DONE") > 0.9 * SECONDS
        assert peak_mb(engine.pid) < limit
        lower = limit - 40
        engine.send(f"INFO max_memory {lower << 20}")
        move(engine, "TURN 0,0")
        assert resident_mb(engine) < lower
        assert peak_mb(engine.pid) < limit
    finally:
        engine.close("END")
