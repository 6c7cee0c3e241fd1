"""A machine that has no more room: on its disk, or in its memory."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.chaos.case import GOES_ON_SECONDS, Case, hold, until
from tests.chaos.frozen import until_later
from tests.chaos.stage import Stage
from tests.chaos.trial import Trial

DISK: Final = "60m"
FULL_SECONDS: Final = 20.0
POOL: Final = ("replay.megabytes=2",)  # Redis itself takes one
KEPT: Final = 1500  # positions, with which the run is resumed
_MEMORY: Final = Path("/sys/fs/cgroup/memory")
STARVED: Final = 60 << 20  # bytes for the processes that Ray starts meanwhile


def fill_disk(stage: Stage, number: int) -> float:
    """The run's folder lies on a small file system, which somebody fills and frees again."""
    trial = stage.trial(disk=DISK)
    mark, filler = trial.mark(), trial.folder.root / "filler"
    fill(filler)
    until_later(FULL_SECONDS)
    fill(filler)  # what was freed meanwhile, by versions that were pruned
    trial.is_running()
    hold(_lines(trial, mark.log) < 100, "the log is flooded")
    filler.unlink()
    seconds = trial.goes_on()
    hold("Traceback" not in trial.launched.log()[mark.log :], "a traceback in the log")
    return seconds


def fill(path: Path) -> None:
    """Write to a file until there is no room left."""
    with contextlib.suppress(OSError), path.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(bytes(size)) == size:
                    pass


def fill_memory(stage: Stage, number: int) -> float:
    """The pool comes to its limit, and the run is resumed with fewer positions; then a part has no room to start."""
    stage.end_run()  # that of an earlier round, with a pool that fits
    trial = stage.trial(settings=POOL, keeps_all=False)
    mark = trial.mark()
    trial.tells(mark, "it is full", 4 * GOES_ON_SECONDS)
    until(lambda: _cut_off(trial), GOES_ON_SECONDS, "the progress line does not say that the actors are cut off")
    trial.stop()
    trial.resume("--set", f"replay.keep={KEPT}")
    trial.wait_until_it_learns()
    slowest = trial.goes_on(2 * GOES_ON_SECONDS)
    for part in ("actor 0", "learner") if _MEMORY.is_dir() else ():
        with starved(trial) as group:
            mark = trial.kill(part)
            until(
                lambda group=group: _ended_for_memory(group), GOES_ON_SECONDS, f"{part} starts with {STARVED >> 20} MB"
            )
        began = time.monotonic()
        trial.tells(mark, f"{part} is back")
        trial.goes_on()
        slowest = max(slowest, time.monotonic() - began)
    return slowest


@contextmanager
def starved(trial: Trial) -> Iterator[Path]:
    """Let all processes that Ray starts meanwhile share too little memory for one; the control group that does it."""
    group = _MEMORY / f"gobang-chaos-{os.getpid()}"
    group.mkdir()
    (raylet,) = [process for process in trial.launched.living() if process.name() == "raylet"]
    try:
        (group / "memory.limit_in_bytes").write_text(str(STARVED))
        (group / "cgroup.procs").write_text(str(raylet.pid))
        yield group
    finally:
        (group / "memory.limit_in_bytes").write_text("-1")
        until(lambda: not _move_out(group), GOES_ON_SECONDS, "the control group is not empty")
        group.rmdir()


def _move_out(group: Path) -> list[str]:
    """Bring the processes of a control group to the one above; those that it had, which may have started others."""
    processes = (group / "cgroup.procs").read_text().split()
    for process in processes:
        with contextlib.suppress(OSError):  # it has just ended
            (_MEMORY / "cgroup.procs").write_text(process)
    return processes


def _ended_for_memory(group: Path) -> bool:
    """Whether the kernel has ended a process of the group."""
    return re.search(r"^oom_kill [1-9]", (group / "memory.oom_control").read_text(), re.MULTILINE) is not None


def _cut_off(trial: Trial) -> bool:
    trial.is_running()
    return "actors cut off from the pool" in trial.launched.output.splitlines()[-1]


def _lines(trial: Trial, offset: int) -> int:
    """Of the log, without what is said of each version."""
    return sum("model" not in line for line in trial.launched.log()[offset:].splitlines())


CASES: Final = (
    Case(
        number=9,
        name="disk full for all, freed again",
        passes="all goes on within 30 s of that; nothing is torn, and the log is not flooded",
        strike=fill_disk,
        needs_root=True,
    ),
    Case(
        number=17,
        name="pool at its limit; parts short of memory",
        passes="a full pool says so and takes games with a smaller keep; a killed part is back within 30 s",
        strike=fill_memory,
        needs_root=True,
        release=5,
    ),
)
