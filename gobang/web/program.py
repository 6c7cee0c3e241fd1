"""A program beside the server: lines of JSON to it and from it; it is started again when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from gobang.analysis.query import Json

STARTING: Final = "starting"
READY: Final = "ready"
GONE: Final = "gone"

_LINE_BYTES: Final = 1 << 22
_FIRST_PAUSE: Final = 0.5  # seconds before a program that died is started again, doubled each time
_LONGEST_PAUSE: Final = 30.0
_KEPT_LINES: Final = 20  # of what it complained
_SECONDS_TO_LEAVE: Final = 2.0


class Program:
    """One of the programs of `gobang.web.thinking`.

    program = Program("moves", on_message, on_change)
    await program.start()
    program.send({"id": 1, ...})     # while it is ready; else False
    await program.close()
    """

    def __init__(self, kind: str, on_message: Callable[[Json], None], on_change: Callable[[], None]) -> None:
        """`on_change` is called when the state changes: it may have died with all that it was asked."""
        self.kind, self.state, self.reason = kind, STARTING, ""
        self.since = time.time()
        self._on_message, self._on_change = on_message, on_change
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._pause = _FIRST_PAUSE
        self._complaints: deque[str] = deque(maxlen=_KEPT_LINES)

    def start(self) -> None:
        """Keep it running from now on."""
        self._task = asyncio.create_task(self._keep_running())

    def send(self, fields: Json) -> bool:
        """Hand it a line; False if it is not ready for one."""
        if self.state != READY or self._process is None or self._process.stdin is None:
            return False
        self._process.stdin.write(json.dumps(fields).encode() + b"\n")
        return True

    def kill(self) -> None:
        """End what it does at once; it is started again."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def close(self) -> None:
        """End it for good."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._process.wait(), _SECONDS_TO_LEAVE)

    def as_json(self) -> Json:
        """Its state for the page."""
        return {"state": self.state, "since": round(self.since, 1), "reason": self.reason}

    async def _keep_running(self) -> None:
        while True:
            self._change(STARTING)
            reason = await self._run()
            self._change(GONE, reason)
            await asyncio.sleep(self._pause)
            self._pause = min(_LONGEST_PAUSE, 2 * self._pause)

    async def _run(self) -> str:
        """Run it once; why it ended."""
        pipe = asyncio.subprocess.PIPE
        command = [sys.executable, "-m", "gobang.web.thinking", self.kind]
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=pipe, limit=_LINE_BYTES, start_new_session=True
            )
        except OSError as error:
            return str(error)
        complaints = asyncio.create_task(self._listen_to_complaints(process))
        await self._listen(process)
        code = await process.wait()
        await complaints
        return f"it ended with status {code}" + (f": {self._complaints[-1]}" if self._complaints else "")

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            fields = json.loads(line)
            if fields.get("ready"):
                self._change(READY)
            else:
                self._pause = _FIRST_PAUSE
                self._on_message(fields)

    async def _listen_to_complaints(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            self._complaints.append(line.decode(errors="replace").rstrip())

    def _change(self, state: str, reason: str = "") -> None:
        self.state, self.reason, self.since = state, reason, time.time()
        self._on_change()
