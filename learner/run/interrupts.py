"""Signals such as Ctrl-C: the first lets the run end in good order, the second ends it at once."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

ONE_PRESS: Final = 1.0  # seconds within which signals are one: some programs send each to the process and its group
POLL_SECONDS: Final = 0.05
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KILLED: Final = 128  # and the number of the signal: the exit status of what a signal ended


class Interrupted(Exception):
    """A signal has come before the run was under way."""


class Interrupts:
    """Set once a signal has come.

    interrupts.listen()
    with interrupts.held():                # while processes are started, or a library listens too
        ...
    interrupts.check()                     # between two steps of the start
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
        self.event = threading.Event()  # set once a signal has come, for those that wait for nothing else
        self._before: dict[int, Any] = {}  # handlers that `listen` has replaced

    def listen(self) -> None:
        """Take over the signals; only in the main thread."""
        for number in SIGNALS:
            before = signal.signal(number, self._take)
            self._before.setdefault(number, before)

    def close(self) -> None:
        """Put back the handlers that were there before the first `listen`."""
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before = {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """What this thread starts meanwhile never gets these signals; those that come are heard afterwards.

        `timeout`, Slurm and systemd send them to every process of a run.  That of the launcher is the one that counts:
        what it drains must not be gone before.
        """
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            yield
        finally:
            self.listen()  # before they come through: a library may have put its own in place
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def wait(self, seconds: float) -> bool:
        """Whether one has come within `seconds`."""
        return self.event.wait(seconds)

    @property
    def has_come(self) -> bool:
        """Whether one has come."""
        return self.event.is_set()

    def check(self) -> None:
        """Raise Interrupted if one has come."""
        if self.event.is_set():
            raise Interrupted

    def wait_until(self, is_done: Callable[[], bool], seconds: float = math.inf) -> bool:
        """Whether it is done within the time; Interrupted if a signal comes before."""
        deadline = self._clock() + seconds
        while not is_done():
            if self._clock() > deadline:
                return False
            self.event.wait(POLL_SECONDS)
            self.check()
        return True

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.event.is_set():
            if self._clock() - self._first > ONE_PRESS:
                self._end(KILLED + number)
            return
        self._first = self._clock()
        self.event.set()
        self._say(f"{signal.Signals(number).name}: the run ends; once more to end it at once")
