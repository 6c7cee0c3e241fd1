"""How far a match, an exam or another long task has come: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

SECONDS_IN_LOG: Final = 10.0


class Progress:
    """Games done, score and time left."""

    def __init__(
        self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic, unit: str = "games"
    ) -> None:
        self._total = total
        self._unit = unit
        self._stream = stream
        self._clock = clock
        self._start = self._shown = clock()
        self._bar = _bar(stream, clock) if stream.isatty() else None
        if self._bar is not None:
            self._task = self._bar.add_task(f"0/{total} {unit}", total=total)
            self._bar.start()

    def update(self, done: int, score: float | None = None) -> None:
        """Show the state; in a log only if the last one has stood long enough, or if all is done."""
        now = self._clock()
        left = (now - self._start) / done * (self._total - done)
        scored = "" if score is None else f"  score {score:.3f}"
        text = f"{done}/{self._total} {self._unit}{scored}  {duration(left)} left"
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=text)
        elif now - self._shown >= SECONDS_IN_LOG or done >= self._total:
            self._shown = now
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def close(self) -> None:
        """Clear the bar; what it counted stands in the result."""
        if self._bar is not None:
            self._bar.stop()


def _bar(stream: TextIO, clock: Callable[[], float]) -> Bar:
    from rich.console import Console  # only where there is a terminal: loading it takes a while
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(file=stream)
    columns = (BarColumn(), TextColumn("{task.description}", markup=False))
    return Bar(*columns, console=console, transient=True, get_time=clock)


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, e.g. "1:02:03" or "2:03"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
