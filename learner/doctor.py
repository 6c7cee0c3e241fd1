"""Describes this machine and estimates the hours of each preset: `gobang doctor`, or `python -m learner.doctor`."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Final

from gobang.commands import run_as_module


def run(arguments: argparse.Namespace) -> int:
    """Print what is here, and the table of presets."""
    from learner.run import diagnosis  # torch takes seconds to load

    return diagnosis.run()


main: Final = partial(run_as_module, "doctor", run)

if __name__ == "__main__":
    sys.exit(main())
