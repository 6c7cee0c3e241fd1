"""Shows a run on the screen: as a block that is redrawn on a terminal, else line by line."""

from __future__ import annotations

import math
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, TextIO

from learner.watching.metrics import METRICS

SECONDS_ON_TERMINAL: Final = 0.5
SECONDS_IN_LOG: Final = 5.0
_CLEAR_LINE: Final = "\x1b[K"
_UNKNOWN: Final = "-"


class Progress:
    """Draws the metrics on a stream."""

    def __init__(self, title: str, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._title = title
        self._stream = stream
        self._clock = clock
        self._on_terminal = stream.isatty()
        self._shown = -math.inf
        self._drawing = threading.RLock()  # events come from other threads and from signals
        self._lines = 0  # that the block on the terminal has

    def update(self, values: Mapping[str, float]) -> None:
        """Show the values if the last ones have stood long enough."""
        now = self._clock()
        if now - self._shown < (SECONDS_ON_TERMINAL if self._on_terminal else SECONDS_IN_LOG):
            return
        self._shown = now
        with self._drawing:
            if self._on_terminal:
                self._redraw([self._title, *block(values)])
            else:
                self._stream.write(f"{line(values)}\n")
                self._stream.flush()

    def say(self, text: str) -> None:
        """Print a line that stays, above the block."""
        with self._drawing:
            if self._lines:
                self._stream.write(f"\x1b[{self._lines}A\r\x1b[J")
                self._lines = 0
                self._shown = -math.inf
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def _redraw(self, lines: list[str]) -> None:
        width = shutil.get_terminal_size().columns - 1  # a line that wraps would spoil the count
        up = f"\x1b[{self._lines}A\r" if self._lines else ""
        self._stream.write(up + "".join(f"{text[:width]}{_CLEAR_LINE}\n" for text in lines))
        self._stream.flush()
        self._lines = len(lines)


def block(values: Mapping[str, float]) -> list[str]:
    """The display of a terminal."""

    def show(name: str) -> str:
        return number(name, values.get(name))

    gate = _UNKNOWN
    if "gate_version" in values:
        gate = f"{show('gate_version')} against {show('best')}, {show('gate_games')} games, {show('gate_score')}"
    return [
        f"time        {show('seconds')}   left {show('left')}   restarts {show('restarts')}",
        f"self-play   {show('games_per_s')} games/s   {show('positions_per_s')} positions/s   "
        f"{show('games')} games   {show('simulations')} simulations   {show('actors')} actors{_troubles(values)}",
        f"inference   {show('evaluations_per_s')} evaluations/s   batch {show('batch_size')}   "
        f"cache {show('cache_hits')}",
        f"replay      window {show('window')} of {show('window_limit')}   reuse {show('reuse')}   age {show('age')}   "
        f"length {show('game_length')}   black {show('black_score')}",
        f"learner     step {show('step')}   {show('steps_per_s')} steps/s   version {show('version')}   "
        f"rate {show('learning_rate')}",
        f"losses      {show('loss')}   policy {show('loss_policy')}   chances {show('loss_outcome')}   "
        f"entropy {show('entropy')}",
        f"strength    Elo {show('elo')} +- {show('elo_error')}   best {show('best')}   ladder {show('ladder')}, "
        f"{show('ladder_score')}   {_keeps(values)}".rstrip(),
        f"gate        {gate}   next {show('gate_next')}",
    ]


def line(values: Mapping[str, float]) -> str:
    """The display without a terminal."""

    def show(name: str) -> str:
        return number(name, values.get(name))

    return (
        f"{show('seconds')} {show('games')} games {show('games_per_s')}/s {show('positions_per_s')} positions/s "
        f"{show('evaluations_per_s')} evaluations/s batch {show('batch_size')} cache {show('cache_hits')} "
        f"reuse {show('reuse')} window {show('window')} step {show('step')} version {show('version')} "
        f"loss {show('loss')} policy {show('loss_policy')} chances {show('loss_outcome')} "
        f"entropy {show('entropy')} rate {show('learning_rate')} Elo {show('elo')} best {show('best')} "
        f"gate {show('gate_games')} games {show('gate_score')} next {show('gate_next')} {_keeps(values)}"
        f"left {show('left')}{_troubles(values)}"
    )


def _troubles(values: Mapping[str, float]) -> str:
    """Warnings for a person to look into; empty while all is well."""
    troubles = {"cut_off": "cut off from the pool", "failures": "failures", "faults": "steps left out"}
    return "".join(f", {values[name]:,.0f} {words}" for name, words in troubles.items() if values.get(name))


def _keeps(values: Mapping[str, float]) -> str:
    """The last exam in words; empty where there are no solved positions."""
    if "keeps_value" not in values:
        return ""
    return f"keeps value {values['keeps_value']:.1%}, policy {values['keeps_value_policy']:.1%} "


def number(name: str, value: float | None) -> str:
    """A metric's value for people: a duration, a count with commas, a share, or three digits."""
    if value is None or not math.isfinite(value):
        return _UNKNOWN
    if METRICS[name].unit == "s":
        return duration(value)
    if name == "cache_hits":
        return f"{value:.0%}"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, e.g. "1:02:03" or "2:03"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
