"""A program beside the server: lines of JSON to it and from it; it is started again when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Final

from gobang.analysis.query import Json
from gobang.children import tied
from gobang.errors import GobangError

STARTING: Final = "starting"
READY: Final = "ready"
GONE: Final = "gone"

_LINE_BYTES: Final = 1 << 22
_FIRST_PAUSE: Final = 0.5  # seconds before a program that died is started again, doubled each time
_LONGEST_PAUSE: Final = 30.0
_BLOCK_BYTES: Final = 1 << 16
_KEPT_BYTES: Final = 1 << 12  # of the complaints
_SHOWN: Final = 120  # characters of a bad answer or a complaint
_SECONDS_TO_LEAVE: Final = 2.0
_LOG: Final = logging.getLogger(__name__)


class BadAnswer(GobangError):
    """A program wrote what is no JSON object, or too long a line."""


class Program:
    """A program that is started again when it dies, or when an answer of it cannot be used.

    program = Program([sys.executable, "-m", "gobang.web.thinking", "moves"], on_message, on_change)
    program.start()
    program.send({"id": 1, ...})     # while it is ready; else False
    await program.close()
    """

    def __init__(
        self, command: Sequence[str], on_message: Callable[[Json], None], on_change: Callable[[], None]
    ) -> None:
        """`on_change` is called when the state changes; a program that is gone has forgotten what it was asked."""
        self.state, self.reason = STARTING, ""
        self.since = time.time()
        self._command, self._on_message, self._on_change = command, on_message, on_change
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._pause = _FIRST_PAUSE
        self._complaints = b""  # the newest bytes

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
        """Kill the program if it runs; it is started again."""
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
        """Run the program once; return why it ended."""
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *tied(self._command), stdin=pipe, stdout=pipe, stderr=pipe, limit=_LINE_BYTES, start_new_session=True
            )
        except OSError as error:
            return str(error)
        complaints = asyncio.create_task(self._listen_to_complaints(process))
        reason = await self._listen(process)
        if not reason:  # the program has closed its output, and should end
            await asyncio.wait([leaving := asyncio.create_task(process.wait())], timeout=_SECONDS_TO_LEAVE)
            leaving.cancel()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # its children too, which may hold its stderr
        code = await process.wait()
        await asyncio.wait([complaints], timeout=_SECONDS_TO_LEAVE)
        complaints.cancel()
        last = self._complaints.decode(errors="replace").strip().rpartition("\n")[2]
        return reason or f"it ended with status {code}" + (f": {last[:_SHOWN]}" if last else "")

    async def _listen(self, process: asyncio.subprocess.Process) -> str:
        """Take answers until the program ends; return what is wrong with the last one, or nothing."""
        assert process.stdout is not None
        try:
            while line := await _read_line(process.stdout):
                self._take(line)
        except BadAnswer as error:
            return str(error)
        except Exception as error:  # whatever an answer breaks, the program must not stay as if it were ready
            _LOG.exception("while taking an answer of %s", self._command[-1])
            return f"its answer could not be used: {type(error).__name__}: {error}"
        return ""

    def _take(self, line: bytes) -> None:
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadAnswer(f"its answer is no JSON: {_shown(line)}") from error
        if not isinstance(fields, dict):
            raise BadAnswer(f"its answer is no object of JSON: {_shown(line)}")
        if fields.get("ready"):
            self._change(READY)
        else:
            self._pause = _FIRST_PAUSE
            self._on_message(fields)

    async def _listen_to_complaints(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        self._complaints = b""
        while block := await process.stderr.read(_BLOCK_BYTES):
            self._complaints = (self._complaints + block)[-_KEPT_BYTES:]

    def _change(self, state: str, reason: str = "") -> None:
        self.state, self.reason, self.since = state, reason, time.time()
        self._on_change()


async def _read_line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError as error:
        raise BadAnswer(f"its answer is a line of more than {_LINE_BYTES >> 20} MB") from error


def _shown(line: bytes) -> str:
    return repr(line.decode(errors="replace").strip()[:_SHOWN])
