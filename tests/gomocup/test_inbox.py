"""What the manager says while the engine thinks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from gobang.gomocup.inbox import Inbox

SECONDS = 120.0


@pytest.fixture
def pipe() -> Iterator[tuple[Inbox, int]]:
    source, sink = os.pipe()
    inbox = Inbox(source)
    yield inbox, sink
    os.close(source)


def lines(inbox: Inbox, count: int) -> list[bytes]:
    return [arrival[0] for arrival in (inbox.take() for _ in range(count)) if arrival]


def test_a_stop_holds_until_its_turn_comes(pipe: tuple[Inbox, int]) -> None:
    inbox, sink = pipe
    os.write(sink, b"TURN 1,1\nSTOP\r\nTURN 2,2\nstop\nABOUT\n")
    assert lines(inbox, 1) == [b"TURN 1,1"]
    assert lines(inbox, 2) == [b"STOP\r", b"TURN 2,2"]
    assert lines(inbox, 1) == [b"stop"]
    assert lines(inbox, 1) == [b"ABOUT"]
    assert inbox.may_think()
    os.write(sink, b"END\nABOUT\n")
    os.close(sink)
    while inbox.may_think():
        time.sleep(0)
    assert lines(inbox, 3) == [b"END", b"ABOUT"]
    assert not inbox.may_think()  # as the input has ended


def thinking(player: str) -> subprocess.Popen[str]:
    """An engine that has answered START and begun to think for hours."""
    command = [sys.executable, "-m", "gobang.gomocup", "--player", player]
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert engine.stdin
    assert engine.stdout
    engine.stdin.write("START 15\n")
    while (answer := engine.stdout.readline()).startswith("MESSAGE"):
        pass
    assert answer == "OK\n"
    engine.stdin.write("INFO timeout_turn 10000000\nTURN 7,7\n")
    return engine


@pytest.mark.parametrize("player", ["uniform", "rollout", "alphabeta"])
def test_stop_asks_for_the_move_at_once(player: str) -> None:
    engine = thinking(player)
    answer, _ = engine.communicate("STOP\nABOUT\nEND\n", timeout=SECONDS)
    move, about = answer.splitlines()
    assert "," in move
    assert "name=" in about


@pytest.mark.parametrize("last", ["END\n", ""])
def test_the_engine_ends_with_its_input(last: str) -> None:
    engine = thinking("uniform")
    engine.communicate(last, timeout=SECONDS)
    assert engine.returncode == 0
