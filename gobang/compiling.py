"""Notices about kernels that are being compiled: who gets them, and what commands show.

Nothing here loads the compiler, so any command can afford it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final, Protocol, TextIO

NOTICE: Final = "compiling kernels, once on this machine: some 20 s"


class Watcher(Protocol):
    """Is told of each kernel that this process has to compile, or to wait for while another process does."""

    def begin(self, kernel: str) -> None:
        """A kernel is not in the cache."""

    def end(self, kernel: str) -> None:
        """It is now, or could not be compiled."""


_watchers: Final[list[Watcher]] = []


@contextlib.contextmanager
def is_watching(watcher: Watcher) -> Iterator[None]:
    """Let a watcher know of every kernel that is compiled meanwhile."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


@contextlib.contextmanager
def compiling(kernel: str) -> Iterator[None]:
    """Tell the watchers that a kernel is compiled meanwhile."""
    for watcher in _watchers:
        watcher.begin(kernel)
    try:
        yield
    finally:
        for watcher in _watchers:
            watcher.end(kernel)


class Notice:
    """Says that kernels are compiled, once and only if it is true, or on a terminal as long as it lasts and which."""

    def __init__(self, stream: TextIO, *, beside_a_bar: bool = False) -> None:
        """Where a bar of progress owns the terminal's line, the notice gets one of its own."""
        self._stream = stream
        self._on_terminal = stream.isatty() and not beside_a_bar
        self._compiled = 0

    def begin(self, kernel: str) -> None:
        """Show what is compiled now."""
        if self._on_terminal:
            self._write(f"\r\x1b[K{NOTICE}; {self._compiled} done, now {kernel}")
        elif self._compiled == 0:
            self._write(f"{NOTICE}\n")
        self._compiled += 1

    def end(self, kernel: str) -> None:
        """Leave the terminal's line to others."""
        if self._on_terminal:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def with_notice(stream: TextIO, *, beside_a_bar: bool = False) -> contextlib.AbstractContextManager[None]:
    """Show a notice of kernels that are compiled meanwhile."""
    return is_watching(Notice(stream, beside_a_bar=beside_a_bar))


class IsCold(Exception):
    """A kernel is not in the cache; see `refuses_to_compile`."""


class _Refusal:
    def begin(self, kernel: str) -> None:
        raise IsCold(kernel)

    def end(self, kernel: str) -> None:
        """Nothing was begun."""


def refuses_to_compile() -> contextlib.AbstractContextManager[None]:
    """Raise IsCold instead of compiling anything meanwhile."""
    return is_watching(_Refusal())
