"""How long a first start takes, and what memory a run needs: `make cold`

A run starts with an empty cache of kernels, as on a new machine after the install.  Shown are the seconds from the
command to what a person waits for, then the memory of each part once it learns: its share of what it has resident,
where a page that N processes share counts 1/N for each.  Further arguments go to the run: `--set dashboard=false`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psutil

from tests.integration.launched import Launched

LEARNING: Final = "the first line with a loss"
WAITED_FOR: Final = {
    "the first line": "starting",
    "all parts are started": "to play against",
    LEARNING: r"\bloss \d",
}
SETTLED_SECONDS: Final = 20.0  # after the first steps of training, when every part has what it needs
_PARTS: Final = {
    "launcher": r"learner\.launch",
    "learner": "LearnerActor",
    "judge": "JudgeActor",
    "inference server": "InferenceActor",
    "self-play actors": "SelfPlayActor",
    "Redis": "redis-server",
    "Ray's dashboard": r"ray-dashboard|dashboard/dashboard\.py|multiprocessing",
    "Ray": "",
}


def first_seconds(launched: Launched, most: float) -> dict[str, float]:
    """Seconds from the command to each of WAITED_FOR; ends early with the run or after the most seconds."""
    begun, found = time.monotonic(), dict[str, float]()
    while len(found) < len(WAITED_FOR) and time.monotonic() - begun < most and launched.look():
        output = launched.output
        for name, pattern in WAITED_FOR.items():
            if name not in found and re.search(pattern, output):
                found[name] = time.monotonic() - begun
    return found


def memory(launched: Launched) -> dict[str, tuple[int, float]]:
    """Processes and MB of each part."""
    processes, sizes = Counter[str](), Counter[str]()
    for process in launched.living():
        with contextlib.suppress(psutil.Error):  # it may end at any time
            command, full = " ".join(process.cmdline()), process.memory_full_info()
            part = next(part for part, pattern in _PARTS.items() if re.search(pattern, command))
            processes[part] += 1
            sizes[part] += getattr(full, "pss", full.uss) // 10**6
    return {part: (processes[part], sizes[part]) for part in _PARTS if part in processes}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report; 1 if the run failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.cold_start", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--warm", action="store_true", help="with the kernels that are there already")
    options, more = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gobang-cold-") as folder:
        cache = {} if options.warm else {"NUMBA_CACHE_DIR": f"{folder}/kernels"}
        launched = Launched(Path(folder) / "run", *more, environment={**os.environ, **cache})
        try:
            return _report(launched)
        finally:
            launched.kill()


def _report(launched: Launched) -> int:
    seconds = first_seconds(launched, most=600)
    for name in WAITED_FOR:
        sys.stdout.write(f"{name:28}{seconds.get(name, float('nan')):8.1f} s\n")
    if LEARNING not in seconds:
        sys.stdout.write(launched.output + launched.log())
        return 1
    deadline = time.monotonic() + SETTLED_SECONDS
    while time.monotonic() < deadline:
        launched.look()
    found = memory(launched)
    for part, (processes, size) in found.items():
        sys.stdout.write(f"{part:28}{size:8.0f} MB in {processes} processes\n")
    total = tuple(map(sum, zip(*found.values(), strict=True)))
    sys.stdout.write(f"{'all':28}{total[1]:8.0f} MB in {total[0]} processes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
