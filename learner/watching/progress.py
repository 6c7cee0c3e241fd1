"""Shows a run on the screen: a block that is redrawn on a terminal, else a line now and then.

    with progress_on(sys.stdout, "gobang 8x8", log) as progress:
        progress.say("dashboard: ...")     # stays, above the block
        progress.update(values)
        progress.finish(values)            # the last state stays, too; what is said now comes below it

While the block is there, all else that this process writes as an error goes to the log: Ray's
libraries write warnings past Python, in the middle of whatever stands on the screen.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gobang.disk import Outage
from learner.watching.display import block, line

SECONDS_ON_TERMINAL: Final = 0.5
SECONDS_IN_LOG: Final = 10.0
_STANDARD_ERROR: Final = 2


class Progress(Protocol):
    """Shows a run to a person."""

    def update(self, values: Mapping[str, float]) -> None:
        """Show the values if the last ones have stood long enough."""

    def say(self, text: str) -> None:
        """Print a line that stays; from any thread."""

    def finish(self, values: Mapping[str, float]) -> None:
        """Show the last values, which stay."""


@contextmanager
def progress_on(stream: TextIO, title: str, log: Path) -> Iterator[Progress]:
    """The display that suits the stream; `log` gets what must not break it."""
    if not stream.isatty():
        yield LineProgress(stream)
        return
    with _errors_to(log):
        display = BlockProgress(title, Console(file=stream))
        try:
            yield display
        finally:
            display.close()


class LineProgress:
    """Lines for a log or a pipe."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._shown = -math.inf
        self._learns = False  # whether a loss has been shown
        self._writing = threading.RLock()
        self._outage = Outage("the output")

    def update(self, values: Mapping[str, float]) -> None:
        """See Progress."""
        is_first = "loss" in values and not self._learns  # which people wait for
        if is_first or self._clock() - self._shown >= SECONDS_IN_LOG:
            self.finish(values)

    def say(self, text: str) -> None:
        """See Progress."""
        with self._writing:
            self._outage.attempt(lambda: self._print(text))

    def finish(self, values: Mapping[str, float]) -> None:
        """See Progress."""
        self._shown, self._learns = self._clock(), "loss" in values
        self.say(line(values))

    def _print(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()


class BlockProgress:
    """A block at the foot of a terminal."""

    def __init__(self, title: str, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._title = title
        self._console = console
        self._clock = clock
        self._shown = -math.inf
        self._live = Live(console=console, auto_refresh=False, redirect_stderr=False)

    def update(self, values: Mapping[str, float]) -> None:
        """See Progress."""
        now = self._clock()
        if now - self._shown >= SECONDS_ON_TERMINAL:
            self._shown = now
            self._draw(values)

    def say(self, text: str) -> None:
        """See Progress."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def finish(self, values: Mapping[str, float]) -> None:
        """See Progress."""
        self._draw(values)
        self.close()

    def close(self) -> None:
        """Leave what was shown last where it is."""
        self._live.stop()

    def _draw(self, values: Mapping[str, float]) -> None:
        self._live.start()
        self._live.update(self._rows(values), refresh=True)

    def _rows(self, values: Mapping[str, float]) -> Group:
        table = Table.grid(padding=(0, 2))
        rows = block(values)
        table.add_column(style="cyan", no_wrap=True, min_width=max(len(word) for word, _ in rows))
        table.add_column(no_wrap=True, overflow="ellipsis")
        for word, text in rows:
            table.add_row(word, Text(text))
        return Group(Text(self._title, style="bold", no_wrap=True, overflow="ellipsis"), table)


@contextmanager
def _errors_to(log: Path) -> Iterator[None]:
    """Append to a file whatever is written to standard error, by libraries in C++ too."""
    terminal = os.dup(_STANDARD_ERROR)
    with log.open("ab") as file:
        os.dup2(file.fileno(), _STANDARD_ERROR)
    try:
        yield
    finally:
        os.dup2(terminal, _STANDARD_ERROR)
        os.close(terminal)
