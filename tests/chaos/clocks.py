"""A wall clock that somebody sets."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Final

from tests.chaos.case import PATIENCE, Case, hold
from tests.chaos.frozen import until_later
from tests.chaos.stage import Stage
from tests.chaos.trial import Trial

HOUR: Final = 3600.0
_MINUTES: Final = "50"  # of the run's budget, less than a jump
_SITE: Final = Path(__file__).parent / "clock"


def jump(stage: Stage, number: int) -> float:
    """An hour forward, two back, and forward again."""
    clock = stage.place / "clock"
    if not clock.exists():
        set_clock(clock, 0.0)
    path = os.pathsep.join([str(_SITE), *filter(None, [os.environ.get("PYTHONPATH", "")])])
    trial = stage.trial("--minutes", _MINUTES, environment={"GOBANG_CHAOS_CLOCK": str(clock), "PYTHONPATH": path})
    slowest, before = 0.0, _times(trial)
    for offset in (HOUR, -HOUR, 0.0):
        set_clock(clock, offset)
        slowest = max(slowest, trial.goes_on())
        until_later(6.0)  # a line of the metrics is written
    passed = _times(trial) - before
    hold(0 < passed < HOUR / 2 * PATIENCE, f"the run counts {passed:.0f} s while its clock jumped")
    return slowest


def set_clock(path: Path, offset: float) -> None:
    """In place: the processes have mapped the file."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(struct.pack("d", offset))


def _times(trial: Trial) -> float:
    return trial.launched.values()["seconds"]


CASES: Final = (
    Case(
        number=13,
        name="clock jumps by an hour both ways",
        passes="all goes on within 30 s, and the run counts the true time",
        strike=jump,
    ),
)
