"""Completes the metrics of a run and writes them: screen, metrics.jsonl, TensorBoard, Ray, summary.json."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any, Final, Protocol

from gobang.disk import Outage
from gobang.run_folder import RUNNING, RunFolder
from learner.watching.budget import Budget
from learner.watching.metrics import METRICS, MetricsFile, Rates, Values, checked
from learner.watching.progress import Progress
from learner.watching.tensorboard import TensorboardFile

_LOG: Final = logging.getLogger(__name__)
FILE_SECONDS: Final = 5.0  # from one line of the files to the next


class Meters(Protocol):
    """Shows the numbers to other programs, such as Ray's metrics."""

    def write(self, values: Mapping[str, float]) -> None:
        """Show these from now on."""


class Monitor:
    """Completes the values with times and rates, and shows and writes them."""

    def __init__(
        self,
        folder: RunFolder,
        progress: Progress,
        meters: Meters | None,
        budget: Budget,
        facts: dict[str, Any],
        clock: Callable[[], float] = time.monotonic,
        calendar: Callable[[], float] = time.time,
    ) -> None:
        """Show numbers also by `meters`, if other programs read them; None if none does.

        `facts` stand in summary.json beside the numbers.  The counts of earlier starts are read from there.  All
        durations are measured by `clock`; `calendar`, which a user may set, only dates what is written.
        """
        self._folder, self._progress, self._meters, self._budget = folder, progress, meters, budget
        self._facts, self._clock, self._calendar = facts, clock, calendar
        before = folder.read_summary().get("values", {})
        self._before, self._evaluations = (float(before.get(name, 0.0)) for name in ("seconds", "evaluations"))
        self._started = clock()
        self._written = self._started
        self._rates = Rates()
        self._file = MetricsFile(folder.metrics)
        self._tensorboard = TensorboardFile(folder.tensorboard, calendar())
        self._outage = Outage(f"the metrics in {folder.root}", self._tell)

    def show(self, values: Values) -> bool:
        """Show and write the present values; returns whether the run may go on."""
        now = self._clock()
        complete = self._complete(now, values)
        self._progress.update(complete)
        if now - self._written >= FILE_SECONDS:
            self._write(now, complete, RUNNING)
        return not self._budget.is_spent(complete)

    def finish(self, values: Values, ended: str) -> None:
        """Write and show the last values, and write why the run ended; nothing is written after that."""
        now = self._clock()
        complete = self._complete(now, values)
        self._write(now, complete, ended)
        self._file.close()
        self._tensorboard.close()
        self._progress.finish(complete)

    def seconds(self) -> float:
        """That the run has lasted, over all resumptions."""
        return self._before + self._clock() - self._started

    def _complete(self, now: float, values: Values) -> Values:
        if "evaluations" in values:  # of this start alone; all other counters outlive it
            values = {**values, "evaluations": self._evaluations + values["evaluations"]}
        complete = self._rates.add(now, {**values, "seconds": self.seconds()})
        return {**complete, "left": self._budget.seconds_left(complete)}

    def _write(self, now: float, values: Values, state: str) -> None:
        self._written = now
        known = {name: values[name] for name in checked(values)}
        if self._meters:
            self._meters.write(known)
        self._outage.attempt(lambda: self._write_files(known, state))

    def _write_files(self, known: Values, state: str) -> None:
        """Write to each file, whatever the others say; OSError if one could not be written."""
        date, tagged = self._calendar(), {METRICS[name].tag: value for name, value in known.items()}
        with ExitStack() as files:
            files.callback(self._folder.write_summary, {**self._facts, "state": state, "values": known})
            files.callback(self._tensorboard.write, date, int(known.get("step", 0)), tagged)
            files.callback(self._file.write, date, known)

    def _tell(self, event: str) -> None:
        """To the log, which may have to wait as well, and to the person."""
        _LOG.warning(event)
        self._progress.say(event)
