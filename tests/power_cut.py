"""A disk that loses everything that was not synced: what a power cut would leave, at any moment.

disk = PowerCut(monkeypatch)
write(path)
assert disk.survivor(path) == b"..."      # None: the file has no name on the disk
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not show open files")


class PowerCut:
    """Records the content of each file, and the names in each folder, at the moment of their fsync."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.before_rename: Callable[[Path, Path], None] = lambda source, target: None
        self._contents: dict[int, bytes] = {}  # by inode
        self._names: dict[int, dict[str, int]] = {}  # by inode of the folder: inodes by name
        sync, rename = os.fsync, Path.replace

        def recorded_sync(descriptor: int) -> None:
            sync(descriptor)
            self._record(descriptor)

        def recorded_rename(source: Path, target: Path) -> Path:
            self.before_rename(source, Path(target))
            return rename(source, target)

        monkeypatch.setattr(os, "fsync", recorded_sync)
        monkeypatch.setattr(Path, "replace", recorded_rename)

    def survivor(self, path: Path) -> bytes | None:
        """The content of a file after a power cut now; empty if only its name survives, None if not even that."""
        inode = self._names.get(path.parent.stat().st_ino, {}).get(path.name)
        return None if inode is None else self._contents.get(inode, b"")

    def synced(self, path: Path) -> bytes | None:
        """The content of a file that survives if its name does; None if the content was never synced."""
        return self._contents.get(path.stat().st_ino)

    def _record(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            with os.scandir(descriptor) as entries:
                self._names[status.st_ino] = {entry.name: entry.inode() for entry in entries}
        else:
            self._contents[status.st_ino] = Path(f"/proc/self/fd/{descriptor}").read_bytes()
