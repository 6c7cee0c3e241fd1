"""Signals such as Ctrl-C: the first lets the run end in good order, the second ends it at once.

A signal comes between any two steps of the main thread, which may hold the lock of a log or of an event.  So the
handler takes no lock and writes nothing: it sets a flag, and the next look at the flag tells of the signal.
"""

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


class SignalEvent(threading.Event):
    """An event without a lock, so that the handler of a signal can set it; a waiting thread looks every 50 ms."""

    def __init__(self) -> None:
        super().__init__()
        self._is_on = False

    def is_set(self) -> bool:
        """Return True once it was set."""
        return self._is_on

    def set(self) -> None:
        """Let all waiting threads go on."""
        self._is_on = True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set; return False if that takes longer than `timeout` seconds."""
        deadline = time.monotonic() + (math.inf if timeout is None else timeout)
        while not self._is_on and (rest := deadline - time.monotonic()) > 0:
            time.sleep(min(rest, POLL_SECONDS))
        return self._is_on


class Interrupts:
    """Tell the main thread that a signal has come.

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
        self._untold = ""  # the name of the first signal, until somebody looks
        self.event = SignalEvent()  # set once a signal has come, for those that wait for nothing else
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
        """Return True if a signal comes within `seconds`."""
        self.event.wait(seconds)
        return self.has_come

    @property
    def has_come(self) -> bool:
        """Return True if a signal has come, and tell of it the first time; only in the main thread."""
        name, self._untold = self._untold, ""
        if name:
            self._say(f"{name}: the run ends; once more to end it at once")
        return self.event.is_set()

    def check(self) -> None:
        """Raise Interrupted if a signal has come."""
        if self.has_come:
            raise Interrupted

    def wait_until(self, is_done: Callable[[], bool], seconds: float = math.inf) -> bool:
        """Return True if it is done within the time; Interrupted if a signal comes before."""
        deadline = self._clock() + seconds
        while not is_done():
            if self._clock() > deadline:
                return False
            self.event.wait(POLL_SECONDS)
            self.check()
        return True

    def _take(self, number: int, frame: FrameType | None) -> None:
        """Note the first signal; at the second one, end the process."""
        if self.event.is_set():
            if self._clock() - self._first > ONE_PRESS:
                self._end(KILLED + number)
            return
        self._first = self._clock()
        self._untold = signal.Signals(number).name
        self.event.set()
