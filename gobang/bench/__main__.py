"""Speeds of this machine: `gobang bench search --size 8 --games 64 --sims 400`.

Each figure is the median of several runs, printed with the lowest and highest.  Run it alone: two
benchmarks at once measure each other.  With --json the last line is one JSON object whose rates have
keys that end in `per_s`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from functools import partial
from typing import Final

from gobang.benchmarks import BENCHMARKS
from gobang.command_line import variant_of
from gobang.commands import run_as_module
from gobang.compiling import with_notice


def run(arguments: argparse.Namespace) -> int:
    """Run one benchmark."""
    variant = variant_of(arguments)
    place, _, function = BENCHMARKS[arguments.what].function.partition(":")
    with with_notice(sys.stderr):
        report = getattr(importlib.import_module(place), function)(arguments, variant)
    if arguments.json:
        print(json.dumps({"benchmark": arguments.what, "game": str(variant), **report}))
    return 0


main: Final = partial(run_as_module, "bench", run)

if __name__ == "__main__":
    sys.exit(main())
