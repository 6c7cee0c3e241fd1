"""A file system of some kilobytes, which can be filled to the last byte and freed again."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


class SmallDisk:
    """A mounted file system."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._filler = place / "filler"

    def fill(self, room: int = 0) -> None:
        """Leave only so many bytes, in whole pages; nothing else is to be written meanwhile."""
        with self._filler.open("ab", buffering=0) as file:
            with contextlib.suppress(OSError):
                while file.write(bytes(4096)):
                    pass
            file.truncate(max(0, file.tell() - room))

    def free(self) -> None:
        """Give back what `fill` took."""
        self._filler.unlink()


@contextlib.contextmanager
def mounted(place: Path, size: str) -> Iterator[SmallDisk]:
    """A disk of a size such as "512k"; where this user may mount none, the test is skipped."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"mounts a file system: {tried.stderr.strip()}")
    try:
        yield SmallDisk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
