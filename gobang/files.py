"""Files from outside, read whole: ordinary files alone, and none that is larger than its kind can be.

A device, a pipe or a folder is refused before a byte is read: /dev/zero has no end, and a pipe may never begin.
The errors are of OSError, as for a file that is not there.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

MOST_WEIGHTS: Final = 1 << 30  # bytes of a network, some hundred times our largest
MOST_CRITIC: Final = 1 << 26
MOST_TEXT: Final = 1 << 24  # of settings, openings, and small files of a run


class UnfitFile(OSError):
    """A file that is no ordinary one, or too large."""


def open_file(path: Path) -> BinaryIO:
    """Open an ordinary file for reading; raise OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe without a writer would wait
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise UnfitFile(f"{path} is no ordinary file")
    return os.fdopen(descriptor, "rb")


def read_file(path: Path, most: int) -> bytes:
    """Return the content of an ordinary file of at most so many bytes; raise OSError."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(most + 1) if size <= most else b""
    if max(size, len(content)) > most:
        raise UnfitFile(f"{path} has {max(size, len(content)):,} bytes: at most {most:,}")
    return content


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """Return the text of a file as `read_file` does; raise OSError, or UnicodeDecodeError, which is a ValueError."""
    return read_file(path, most).decode()
