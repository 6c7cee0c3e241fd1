"""A program beside the server that says what it should not."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from gobang.web.program import GONE, READY, STARTING, Program

# Says that it is ready; then does what its one line of input says.
SCRIPT = """
import json, subprocess, sys
print(json.dumps({"ready": True}), flush=True)
exec(json.loads(sys.stdin.readline())["do"])
sys.stdin.readline()
"""
SECONDS = 60.0


class Watched:
    """A program, the states that it went through with their reasons, and its messages."""

    def __init__(self) -> None:
        self.states: list[tuple[str, str]] = []
        self.messages: list[Any] = []
        self._news = asyncio.Event()
        self.program = Program([sys.executable, "-c", SCRIPT], self._take, self._note)

    def _take(self, fields: Any) -> None:
        self.messages.append(fields["id"])

    def _note(self) -> None:
        self.states.append((self.program.state, self.program.reason))
        self._news.set()

    async def become(self, *states: str) -> None:
        """Return when the program has gone through these states."""
        while [state for state, _ in self.states] != list(states):
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), SECONDS)


def after(deed: str) -> Watched:
    """Let a program do something, and wait until it is ready once more."""

    async def run() -> Watched:
        watched = Watched()
        watched.program.start()
        await watched.become(STARTING, READY)
        assert watched.program.send({"do": deed})
        await watched.become(STARTING, READY, GONE, STARTING, READY)
        await watched.program.close()
        return watched

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("print('no JSON', flush=True)", "its answer is no JSON: 'no JSON'"),
        ("print('[' * 100_000, flush=True)", "its answer is no JSON"),
        ("print('[7]', flush=True)", "its answer is no object of JSON: '[7]'"),
        ("print('{}', flush=True)", "its answer could not be used: KeyError: 'id'"),
        ("print('x' * (5 << 20), flush=True)", "its answer is a line of more than 4 MB"),
        ("sys.stderr.write('y' * (5 << 20)); sys.exit('ill')", "it ended with status 1: " + 120 * "y"),
        ("sys.exit('ill')", "it ended with status 1: ill"),
        ("import os; os.close(1)", "it ended with status -9"),
        (
            "subprocess.Popen(['sleep', '99'], stdout=subprocess.DEVNULL); sys.exit('ill')",
            "it ended with status 1: ill",
        ),
    ],
)
def test_a_program_that_cannot_be_used_is_started_again_with_the_reason(deed: str, reason: str) -> None:
    (found,) = [why for state, why in after(deed).states if state == GONE]
    assert found.startswith(reason)


def test_messages_before_a_bad_one_count() -> None:
    assert after("print('{\"id\": 7}\\nno JSON', flush=True)").messages == [7]
