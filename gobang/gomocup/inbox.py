"""Lines as they arrive from the manager, read by a thread: so that some of them can stop a search that goes on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Final

_CHUNK: Final = 65_536  # bytes
_LONGEST_LINE: Final = 4096  # bytes; what is longer is cut
_ENDS_THINKING: Final = (b"STOP", b"YXSTOP", b"END")

Arrival = tuple[bytes, float]  # a line and when it came


class Inbox:
    """The lines of a file descriptor, until it ends or fails."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._arrivals: SimpleQueue[Arrival | None] = SimpleQueue()
        self._reasons_to_stop: SimpleQueue[None] = SimpleQueue()  # one for each line that ends thinking
        threading.Thread(target=self._listen, daemon=True).start()

    def take(self) -> Arrival | None:
        """The next line, waiting for it; None when there are no more."""
        arrival = self._arrivals.get()
        if arrival is not None and _ends_thinking(arrival[0]):
            self._reasons_to_stop.get()
        return arrival

    def may_think(self) -> bool:
        """Whether no line waits that ends thinking, nor the end of the input."""
        return self._reasons_to_stop.empty()

    def is_empty(self) -> bool:
        """Whether no line waits, nor the end of the input."""
        return self._arrivals.empty()

    def _listen(self) -> None:
        try:
            for line in self._lines():
                if _ends_thinking(line):
                    self._reasons_to_stop.put(None)
                self._arrivals.put((line, time.monotonic()))
        finally:  # also when the source fails, or the reader would wait for ever
            self._reasons_to_stop.put(None)
            self._arrivals.put(None)

    def _lines(self) -> Iterator[bytes]:
        rest = b""
        while chunk := os.read(self._source, _CHUNK):
            *complete, rest = (rest + chunk).split(b"\n")
            rest = rest[:_LONGEST_LINE]
            yield from complete
        if rest:
            yield rest


def _ends_thinking(line: bytes) -> bool:
    return line.strip().upper() in _ENDS_THINKING
