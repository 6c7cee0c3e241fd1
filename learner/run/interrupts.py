"""Signals such as Ctrl-C: the first lets the run end in good order, the second ends it at once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

ONE_PRESS: Final = 1.0  # seconds within which signals are one: some programs send each to the process and its group
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KILLED: Final = 128  # and the number of the signal: the exit status of what a signal ended


class Interrupts:
    """Set once a signal has come.

    interrupts.listen()                    # again after a library that listens too
    while not interrupts.wait(0.25):
        ...
    """

    def __init__(
        self,
        say: Callable[[str], None],
        end: Callable[[int], object] = os._exit,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`end` ends the process at once; what it has started is bound to end with it."""
        self._say = say
        self._end = end
        self._clock = clock
        self._first = 0.0  # when the first signal came
        self._event = threading.Event()

    def listen(self) -> None:
        """Take over the signals; only in the main thread."""
        for number in SIGNALS:
            signal.signal(number, self._take)

    def wait(self, seconds: float) -> bool:
        """Whether one has come within `seconds`."""
        return self._event.wait(seconds)

    @property
    def has_come(self) -> bool:
        """Whether one has come."""
        return self._event.is_set()

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._event.is_set():
            if self._clock() - self._first > ONE_PRESS:
                self._end(KILLED + number)
            return
        self._first = self._clock()
        self._event.set()
        self._say(f"{signal.Signals(number).name}: the run ends; once more to end it at once")
