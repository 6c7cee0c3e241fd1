"""Append-only files of JSON lines.

What a kill can do: a line is written by one call, so the death of the process leaves at most the
last line incomplete, and the next writer cuts it off.  A line that was acknowledged survives the
process at once.  It survives a power cut after `sync`, which is called when a match begins and when
it ends, before its end is noted: a power cut costs at most games of the match in progress, which
are played again.  The file itself survives a power cut as soon as it is open.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from gobang.disk import Outage, append_whole, make_folders, sync_folder
from gobang.errors import GobangError
from gobang.files import MOST_TEXT, open_file

_BLOCK: Final = 4096  # bytes read at a time when looking for the last line
_BATCH: Final = 1 << 22  # bytes that one look at a growing file reads

Line = dict[str, Any]  # a JSON object

_log = logging.getLogger(__name__)


class JournalFailure(GobangError):
    """A journal cannot be opened, or its writer was to stop while there was no room for a line."""


class Journal:
    """A file of JSON objects, one a line, with one writer, which waits while the disk is full.

    journal = Journal(path, stopping)      # what a killed writer left behind is repaired here
    for line in journal.lines(): ...
    journal.append({"match": 17})
    journal.sync()
    """

    def __init__(self, path: Path, stopping: threading.Event) -> None:
        """Once `stopping` is set, in whatever thread, it does not wait any more."""
        self.path = path
        self._stopping = stopping
        self._outage = Outage(str(path))
        try:
            make_folders(path.parent)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            sync_folder(path.parent)
            self._repair()
        except OSError as error:
            raise JournalFailure(f"{path}: {error}") from error

    def lines(self) -> Iterator[Line]:
        """Every line from the first on, as `read_lines` gives them."""
        return read_lines(self.path)

    def append(self, fields: Line) -> None:
        """Write a line, as soon as there is room for all of it; raises JournalFailure."""
        data = json.dumps(fields, separators=(",", ":")).encode() + b"\n"
        self._wait(lambda: append_whole(self._descriptor, data))

    def sync(self) -> None:
        """Return when all lines would survive a power cut; raises JournalFailure."""
        self._wait(lambda: os.fsync(self._descriptor))

    def close(self) -> None:
        """Write no more."""
        os.close(self._descriptor)

    def _wait(self, write: Callable[[], None]) -> None:
        if not self._outage.wait(write, self._stopping):
            raise JournalFailure(f"{self.path}: it was to stop before there was room for a line")

    def _repair(self) -> None:
        """Cut off an incomplete last line; one that lacks its newline alone gets it."""
        size = os.fstat(self._descriptor).st_size
        start = self._start_of_last_line(size)
        if start == size:
            return
        if _parse(os.pread(self._descriptor, size - start, start)) is not None:
            os.write(self._descriptor, b"\n")
            return
        os.ftruncate(self._descriptor, start)
        _log.warning("%s: cut off an incomplete last line of %d bytes", self.path, size - start)

    def _start_of_last_line(self, size: int) -> int:
        """Offset of the bytes behind the last newline; `size` if there are none."""
        start = size
        while start > 0:
            block_start = max(0, start - _BLOCK)
            newline = os.pread(self._descriptor, start - block_start, block_start).rfind(b"\n")
            if newline >= 0:
                return block_start + newline + 1
            start = block_start
        return 0


def read_lines(path: Path) -> Iterator[Line]:
    """The JSON objects of a file that another process may be writing; it is not touched, and may be missing.

    Lines that are no JSON objects are left out and logged, but for an unfinished last one.
    """
    unreadable = 0
    with contextlib.suppress(FileNotFoundError), open_file(path) as file:
        for line in iter(partial(file.readline, MOST_TEXT), b""):
            fields = _parse(line)
            if fields is not None:
                yield fields
            elif line.endswith(b"\n"):
                unreadable += 1
    if unreadable:
        _log.warning("%s: left out %d lines that cannot be read", path, unreadable)


def read_lines_after(path: Path, position: int) -> tuple[list[Line], int]:
    """Return the next complete lines of a growing file, and the position of the byte behind them.

    lines, position = read_lines_after(path, position)    # 0 at first; again until the position stays

    A call reads at most 4 MB. A file that became shorter is read from its start. Lines that are no JSON objects are
    left out and logged.
    """
    try:
        with open_file(path) as file:
            position = position if position <= os.fstat(file.fileno()).st_size else 0
            file.seek(position)
            block = file.read(_BATCH)
    except FileNotFoundError:
        return [], 0
    # A line that is longer than a batch is left out in pieces.
    end = len(block) if len(block) == _BATCH and b"\n" not in block else block.rfind(b"\n") + 1
    parsed = [_parse(line) for line in block[:end].splitlines()]
    lines = [line for line in parsed if line is not None]
    if len(lines) < len(parsed):
        _log.warning("%s: left out %d lines that cannot be read", path, len(parsed) - len(lines))
    return lines, position + end


def _parse(line: bytes) -> Line | None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None
