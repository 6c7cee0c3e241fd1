"""A disk that is full: what is to be written waits or is left out until there is room, and one line says so.

outage = Outage("checkpoints")                        # one for each thing that is written again and again
outage.attempt(lambda: write_summary(...))            # left out this time, if the disk does not take it
outage.wait(lambda: journal.write(line), stopping)    # tried again until it does

file = PatientFile(path)                              # a file of pieces, each whole
outage.attempt(lambda: file.append(b"..."))           # a piece without room waits, and comes before the next
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

LOOK_SECONDS: Final = 1.0  # between two attempts
MOST_WAITING: Final = 1000  # pieces of a file; of metrics those of 80 minutes

_LOG: Final = logging.getLogger(__name__)


class Outage:
    """Whether something can be written; a line when it cannot any more, and one when it can again."""

    def __init__(self, what: str, say: Callable[[str], object] = _LOG.warning) -> None:
        self._what, self._say = what, say
        self._is_on = False

    def attempt(self, write: Callable[[], object]) -> bool:
        """Whether `write` came to its end.  A reader that went away is no outage: BrokenPipeError is raised."""
        try:
            write()
        except BrokenPipeError:
            raise
        except OSError as error:
            if not self._is_on:
                self._say(f"{self._what} cannot be written, which is tried again until it works: {error}")
            self._is_on = True
            return False
        if self._is_on:
            self._say(f"{self._what} can be written again")
        self._is_on = False
        return True

    def wait(self, write: Callable[[], object], stopping: threading.Event) -> bool:
        """Attempt it until it works; False if it did not before `stopping` was set."""
        while not self.attempt(write):
            if stopping.wait(LOOK_SECONDS):
                return False
        return True


class PatientFile:
    """A file to which pieces are appended, by several processes if need be; for one thread of each."""

    def __init__(self, path: Path) -> None:
        """The file is made with its first piece."""
        self._path = path
        self._waiting: deque[bytes] = deque()
        self._descriptor: int | None = None

    def append(self, piece: bytes) -> None:
        """Add a piece behind all that waits; OSError if it has to wait as well.

        When too many wait, later ones are left out: the first ones tell how it began.
        """
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(piece)
        self.flush()

    def flush(self) -> None:
        """Write what waits; OSError if some of it has to wait on."""
        if self._waiting and self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        while self._waiting and self._descriptor is not None:
            with _locked(self._descriptor):  # so that nobody writes behind what has to be taken back
                append_whole(self._descriptor, self._waiting[0])
            self._waiting.popleft()

    def close(self) -> None:
        """Write no more; what still waits is lost."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


def append_whole(descriptor: int, data: bytes) -> None:
    """Write to the end of a file; after an OSError nothing of it is there."""
    size = os.fstat(descriptor).st_size
    written = os.write(descriptor, data)
    if written < len(data):
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: it took {written} of {len(data)} bytes")


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
