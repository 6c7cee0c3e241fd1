"""One learner at a time in a run's folder: a lock that is held exactly as long as the process that writes there lives.

The launcher's own lock is not enough.  When a launcher is killed, Ray ends its learner within seconds, but not one that
is frozen or does not get its processor; it would wake up beside the learner of the next start and write the same files.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import signal
import socket
import time
from pathlib import Path
from typing import Final

from gobang.errors import RunFolderTaken

PATIENCE: Final = 5.0  # seconds for an earlier learner to end by itself, and again once it is killed
_POLL_SECONDS: Final = 0.05

_LOG: Final = logging.getLogger(__name__)


def hold(path: Path) -> int:
    """Lock the file until the end of this process, or until the descriptor that is returned is closed.

    Wait for an earlier learner that holds the lock, then kill it.  Raise RunFolderTaken if that is not possible, for
    example because it runs on another machine.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if not _taken_within(PATIENCE, descriptor):
        host, process = _holder(descriptor)
        if host == socket.gethostname():
            _LOG.warning("%s: ending process %d, the learner that an earlier start left", path.parent, process)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if host != socket.gethostname() or not _taken_within(PATIENCE, descriptor):
            os.close(descriptor)
            raise RunFolderTaken(f"{path.parent} is written by an earlier learner, process {process} on {host or '?'}")
    os.ftruncate(descriptor, 0)
    with contextlib.suppress(OSError):  # a full disk: the lock counts, not what is in it
        os.pwrite(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
    return descriptor


def _taken_within(seconds: float, descriptor: int) -> bool:
    """Whether this process got the lock, which neither outlives it nor passes to its children."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True


def _holder(descriptor: int) -> tuple[str, int]:
    """Host and process that wrote itself into the file; an empty host if none could."""
    process, _, host = os.pread(descriptor, 1000, 0).decode(errors="replace").strip().partition(" ")
    return (host, int(process)) if process.isdecimal() and int(process) > 1 else ("", 0)
