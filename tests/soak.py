"""Watches a run for as long as is asked: does a process grow, does self-play slow down?  `make soak MINUTES=60`

The run's window and pool are full within minutes and its searches stay the same, so that after a
warm-up nothing has a reason to grow or to slow down.  A row is printed every ten minutes, then the
growth of each process, and the exit status says whether all stayed within the bounds.

Memory is what a process shares with no other; pages of libraries are not counted, as all actors of
a node have the same.  Beside it stands what the process has resident, with those.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import psutil

from tests.integration.launched import Launched

MOST_GROWTH: Final = 1.0  # MB in ten minutes
MOST_OF_AN_ACTOR: Final = 200.0  # MB
LEAST_RATE: Final = 0.8  # of self-play at the end, as a share of that after the warm-up
WARM_UP: Final = 0.25  # of the time
ROW_MINUTES: Final = 10.0
LOOK_SECONDS: Final = 15.0

RAYS_OWN: Final = "Ray's own"
_ACTOR: Final = "SelfPlayActor"
_SETTINGS: Final = (
    "replay.window.start=30_000",
    "replay.window.end=30_000",
    "replay.keep=30_000",
    "playouts.steps=[[0, 32]]",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """Of one process in MB, e.g. `Memory(unique=140.2, resident=263.0)`."""

    unique: float
    resident: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One look at a run, e.g. `Sample(minute=12.5, memory={"redis-server 4711": ...}, games=900, positions=20_000)`."""

    minute: float
    memory: Mapping[str, Memory]  # by the process's name and number, or RAYS_OWN
    games: float  # stored so far
    positions: float


def steady(samples: Sequence[Sample]) -> list[Sample]:
    """Those after the warm-up."""
    return [sample for sample in samples if sample.minute >= WARM_UP * samples[-1].minute]


def growth(samples: Sequence[Sample], process: str) -> float:
    """MB in ten minutes: from the median of the first third to that of the last, so that a peak counts for nothing."""
    third = max(1, len(samples) // 3)
    parts = samples[:third], samples[-third:]
    first, last = (median(sample.memory[process].unique for sample in part) for part in parts)
    minutes = median(sample.minute for sample in parts[1]) - median(sample.minute for sample in parts[0])
    return (last - first) / minutes * 10


def per_second(samples: Sequence[Sample]) -> tuple[float, float]:
    """Games and positions stored."""
    first, last = samples[0], samples[-1]
    seconds = 60 * (last.minute - first.minute)
    return (last.games - first.games) / seconds, (last.positions - first.positions) / seconds


def lasting(samples: Sequence[Sample]) -> list[str]:
    """The processes that were there all the time."""
    return sorted(set.intersection(*(set(sample.memory) for sample in samples)))


def faults(samples: Sequence[Sample]) -> list[str]:
    """What is out of bounds, or died; of Ray's own processes nothing is asked."""
    rest = steady(samples)
    third = max(2, len(rest) // 3)
    early, late = per_second(rest[:third])[1], per_second(rest[-third:])[1]
    found = [] if late >= LEAST_RATE * early else [f"self-play fell from {early:.0f} to {late:.0f} positions/s"]
    seen = (set(rest[0].memory) | set(rest[-1].memory)) - {RAYS_OWN}
    found += [f"{name} was not there all the time" for name in sorted(seen - set(lasting(rest)))]
    for name in sorted(seen & set(lasting(rest))):
        if (grown := growth(rest, name)) > MOST_GROWTH:
            found.append(f"{name} grows by {grown:.1f} MB in ten minutes")
        if _ACTOR in name and (size := rest[-1].memory[name].unique) > MOST_OF_AN_ACTOR:
            found.append(f"{name} has {size:.0f} MB of its own")
    return found


def table(samples: Sequence[Sample]) -> list[str]:
    """A line for each process that lived through the run after the warm-up."""
    rest = steady(samples)
    lines = [f"{'process':32}{'growth':>8}{'unique':>9}{'resident':>10}   MB in ten minutes, MB at the end"]
    for name in lasting(rest):
        last = rest[-1].memory[name]
        lines.append(f"{name:32}{growth(rest, name):+8.2f}{last.unique:9.1f}{last.resident:10.1f}")
    return lines


def row(samples: Sequence[Sample]) -> str:
    """What happened in some minutes."""
    games, positions = per_second(samples)
    sizes = ", ".join(f"{name} {samples[-1].memory[name].unique:.1f}" for name in lasting(samples))
    return f"{samples[-1].minute:5.1f} min  {games:.1f} games/s  {positions:.0f} positions/s  MB: {sizes}"


def watch(launched: Launched) -> Iterator[Sample]:
    """Looks at a run until it ends."""
    begun = looked = time.monotonic()
    while launched.look():
        now, values = time.monotonic(), launched.values()
        if (
            now - looked >= LOOK_SECONDS and values.get("left", 0.0) > LOOK_SECONDS
        ):  # it has begun, and does not end yet
            looked = now
            yield Sample(
                minute=(now - begun) / 60,
                memory=_memory(launched),
                games=values["games"],
                positions=values["positions"],
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, watch and report; 0 if all stayed within the bounds."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="how long to watch (default: 60); under 20 tells little"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gobang-soak-") as folder:
        samples = _soak(Path(folder) / "run", options.minutes)
    if len(steady(samples)) < 6:
        sys.stdout.write(f"only {len(samples)} looks at the run: it was too short, or it failed\n")
        return 1
    found = faults(samples)
    sys.stdout.write("\n".join([*table(samples), *found, "out of bounds" if found else "within the bounds"]) + "\n")
    return 1 if found else 0


def _soak(run: Path, minutes: float) -> list[Sample]:
    settings = [word for setting in _SETTINGS for word in ("--set", setting)]
    launched = Launched(run, "--preset", "8x8", "--minutes", str(minutes), *settings)
    samples: list[Sample] = []
    shown = 0
    try:
        for sample in watch(launched):
            samples.append(sample)
            if sample.minute - samples[shown].minute >= ROW_MINUTES:
                sys.stdout.write(row(samples[shown:]) + "\n")
                sys.stdout.flush()
                shown = len(samples) - 1
        if launched.end() != 0:
            sys.stdout.write(launched.output + launched.log())
    finally:
        launched.kill()
    return samples


def _memory(launched: Launched) -> Mapping[str, Memory]:
    found: dict[str, Memory] = {}
    for process in launched.living():
        with contextlib.suppress(psutil.Error):  # it may end at any time
            sizes, name = process.memory_full_info(), process_name(process)
            before = found.get(name, Memory(unique=0.0, resident=0.0))
            found[name] = Memory(unique=before.unique + sizes.uss / 1e6, resident=before.resident + sizes.rss / 1e6)
    return found


def process_name(process: psutil.Process) -> str:
    """Such as "SelfPlayActor 4711"; what Ray runs for itself has one name in common."""
    command = " ".join(process.cmdline())
    found = re.search(r"(?<=ray::)\w+Actor|learner\.launch|redis-server", command)
    return f"{found[0]} {process.pid}" if found else RAYS_OWN


if __name__ == "__main__":
    sys.exit(main())
