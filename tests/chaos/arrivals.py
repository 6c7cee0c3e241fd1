"""Files as they appear in a folder, told by the kernel (inotify) at once."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.chaos.case import RoundFailed

_IN_CREATE: Final = 0x100
_HEADER: Final = struct.Struct("iIII")  # watch, mask, cookie, length of the name


class Arrivals:
    """The names of files that are made in a folder from now on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = library.inotify_init1(os.O_CLOEXEC)
        if library.inotify_add_watch(self._descriptor, os.fsencode(folder), _IN_CREATE) < 0:
            raise OSError(ctypes.get_errno(), f"inotify: {folder}")

    def __enter__(self) -> Arrivals:
        return self

    def __exit__(self, *exception: object) -> None:
        os.close(self._descriptor)

    def next(self, wanted: Callable[[str], bool], seconds: float) -> str:
        """The newest name that is wanted, as soon as there is one; RoundFailed if none comes in time."""
        deadline = time.monotonic() + seconds
        while select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            names = [name for name in self._read() if wanted(name)]
            if names:
                return names[-1]
        raise RoundFailed(f"no file was made in {self._folder} within {seconds:.0f} s")

    def _read(self) -> list[str]:
        content, names, place = os.read(self._descriptor, 65_536), [], 0
        while place < len(content):
            *_, length = _HEADER.unpack_from(content, place)
            place += _HEADER.size
            names.append(content[place : place + length].rstrip(b"\0").decode())
            place += length
        return names
