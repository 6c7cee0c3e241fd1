"""Another program behind two pipes: lines go in, lines come out, and no wait is without an end.

All three pipes are non-blocking and served together, so that a program which floods its output or
never reads its input can only run out of time.  Needs POSIX.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections import deque
from functools import partial
from typing import IO, Final

from gobang.children import from_lasting_thread, tied
from gobang.errors import PlayerFailure

_CHUNK: Final = 65_536  # bytes
_LONGEST_LINE: Final = 65_536  # bytes
_LAST_WORDS: Final = 400  # characters of standard error that a failure quotes
_DRAIN_SECONDS: Final = 0.1
_EXIT_SECONDS: Final = 1.0  # for a program that has closed its output, or was told to end


class EngineProcess:
    """A running program that ends with this process, however that ends.

    engine = EngineProcess("./engine --fast")
    engine.send("START 15")
    engine.read_line(time.monotonic() + 5)
    engine.close("END")
    """

    def __init__(self, command: str) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise PlayerFailure(f"{command} does not start: {error}") from error
        if not words or shutil.which(words[0]) is None:
            raise PlayerFailure(f"{command} does not start: there is no such program")
        self._process = from_lasting_thread(partial(_spawn, words))
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._input: IO[bytes] = self._process.stdin
        self._output: IO[bytes] = self._process.stdout
        self._errors: IO[bytes] = self._process.stderr
        self._unsent = bytearray()
        self._partial = b""  # the beginning of a line
        self._lines: deque[str] = deque()
        self._error_text = b""  # the end of standard error
        self._selector = selectors.DefaultSelector()
        for stream in (self._input, self._output, self._errors):
            os.set_blocking(stream.fileno(), False)
        self._selector.register(self._output, selectors.EVENT_READ, self._receive)
        self._selector.register(self._errors, selectors.EVENT_READ, self._receive_errors)
        self._has_output = True  # until the program closes it

    @property
    def pid(self) -> int:
        """Number of the program's process."""
        return self._process.pid

    def send(self, line: str) -> None:
        """Queue a line and write what the pipe takes now; the rest goes out while waiting for answers."""
        if not self._unsent:
            self._selector.register(self._input, selectors.EVENT_WRITE, self._write)
        self._unsent += line.encode() + b"\r\n"
        self._write()

    def read_line(self, deadline: float) -> str:
        """The next line that is not empty; raises PlayerFailure at the deadline or when the program has ended."""
        while not self._lines:
            if not self._has_output:
                raise PlayerFailure(self._obituary())
            if not self._serve(deadline):
                raise PlayerFailure(f"no answer in time{self._last_words()}")
        return self._lines.popleft()

    def discard_lines(self) -> None:
        """Forget what came unasked, so that it is not taken for the next answer."""
        self._drain()
        self._lines.clear()

    def close(self, farewell: str) -> None:
        """Say a last line, wait a moment for the program to end, then kill it and its children."""
        deadline = time.monotonic() + _EXIT_SECONDS
        self.send(farewell)
        while self._has_output and self._serve(deadline):
            self._lines.clear()
        self._wait(deadline)
        self.kill()

    def kill(self) -> None:
        """End the program and its children at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for stream in (self._input, self._output, self._errors):
            stream.close()

    def _serve(self, deadline: float, *, wait: bool = True) -> bool:
        """Let one round of bytes through; False if there was none until the deadline."""
        rest = deadline - time.monotonic()
        if rest <= 0:
            return False
        ready = self._selector.select(rest if wait else 0)
        for key, _ in ready:
            key.data()
        return bool(ready)

    def _drain(self) -> None:
        """Take what has arrived; a flood is cut off."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        while self._serve(deadline, wait=False):
            pass

    def _write(self) -> None:
        try:
            del self._unsent[: os.write(self._input.fileno(), self._unsent)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent.clear()  # the end of its output will tell
        if not self._unsent:
            self._selector.unregister(self._input)

    def _receive(self) -> None:
        chunk = self._read(self._output)
        self._has_output = bool(chunk)
        *lines, self._partial = (self._partial + chunk).replace(b"\r", b"\n").split(b"\n")
        self._lines += [line.decode(errors="replace") for line in lines if line.strip()]
        if len(self._partial) > _LONGEST_LINE:
            raise PlayerFailure(f"a line of more than {_LONGEST_LINE} bytes: {self._partial[:40]!r}...")

    def _receive_errors(self) -> None:
        self._error_text = (self._error_text + self._read(self._errors))[-4 * _LAST_WORDS :]

    def _read(self, stream: IO[bytes]) -> bytes:
        chunk = os.read(stream.fileno(), _CHUNK)
        if not chunk:
            self._selector.unregister(stream)
        return chunk

    def _wait(self, deadline: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(max(0.0, deadline - time.monotonic()))
        return None

    def _obituary(self) -> str:
        status = self._wait(time.monotonic() + _EXIT_SECONDS)
        self._drain()  # what it wrote before it ended
        ending = "closed its output" if status is None else f"ended with status {status}"
        return ending + self._last_words()

    def _last_words(self) -> str:
        lines = self._error_text.decode(errors="replace").strip().splitlines()
        return f"; its last words: {' / '.join(lines[-3:])[-_LAST_WORDS:]}" if lines else ""


def _spawn(words: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        tied(words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,  # its children are killed with it, and Ctrl-C stays here
    )
