"""A line that shows how far a match or another long task has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TextIO

BAR_WIDTH: Final = 24
SECONDS_ON_TERMINAL: Final = 0.1
SECONDS_IN_LOG: Final = 5.0


class Progress:
    """Games done, score and time left: one line redrawn on a terminal, else a new line now and then."""

    def __init__(
        self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic, unit: str = "games"
    ) -> None:
        self._total = total
        self._unit = unit
        self._stream = stream
        self._clock = clock
        self._start = clock()
        self._shown = self._start
        self._on_terminal = stream.isatty()
        if self._on_terminal:
            self._draw(0, f"0/{total} {unit}")

    def update(self, done: int, score: float | None = None) -> None:
        """Show the state if the last one has stood long enough, or if all is done."""
        now = self._clock()
        pause = SECONDS_ON_TERMINAL if self._on_terminal else SECONDS_IN_LOG
        if now - self._shown < pause and done < self._total:
            return
        self._shown = now
        left = (now - self._start) / done * (self._total - done)
        scored = "" if score is None else f"  score {score:.3f}"
        text = f"{done}/{self._total} {self._unit}{scored}  {duration(left)} left"
        if self._on_terminal:
            self._draw(done, text)
        else:
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def close(self) -> None:
        """Clear the line on a terminal."""
        if self._on_terminal:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _draw(self, done: int, text: str) -> None:
        filled = BAR_WIDTH * done // self._total
        self._stream.write(f"\r\x1b[K[{'=' * filled}{' ' * (BAR_WIDTH - filled)}] {text}")
        self._stream.flush()


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, e.g. "1:02:03" or "2:03"."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
