"""Durable writes, and writes to a disk that may be full.

write_atomically(path, b"...")                        # the old content or the new one, even after a power cut
make_folders(path)                                    # folders that survive a power cut

While a disk is full, a write waits or is left out until there is room, and one line says so:

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
import secrets
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
_RANDOM_BYTES: Final = 8  # in the name of an unfinished file
_UNFINISHED: Final = f".*.{'[0-9a-f]' * (2 * _RANDOM_BYTES)}.unfinished"

_LOG: Final = logging.getLogger(__name__)


def write_atomically(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace a file in one step that survives a power cut; the umask limits `mode`.

    The content reaches the disk under another name before the file gets its own name, which reaches the disk last.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(_RANDOM_BYTES)}.unfinished")
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files that `write_atomically` left in a folder when it was killed."""
    for path in folder.glob(_UNFINISHED):
        path.unlink(missing_ok=True)


def make_folders(path: Path) -> list[Path]:
    """Make a folder with its missing parents so that they survive a power cut; return the new ones, outermost first."""
    made = []
    for folder in reversed((path, *path.parents)):
        try:
            folder.mkdir()
        except FileExistsError as error:
            if not folder.is_dir():
                code = errno.EEXIST if folder == path else errno.ENOTDIR
                raise OSError(code, os.strerror(code), str(folder)) from error
        except OSError:
            if not folder.is_dir():
                raise
        else:
            sync_folder(folder.parent)
            made.append(folder)
    return made


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder would survive a power cut; Windows has no call for it."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
