"""Starts a run and watches over it: `gobang train --preset 8x8 --minutes 30`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gobang.command_line import EXIT_INVALID
from gobang.errors import GobangError
from learner.run.launching import launch
from learner.run.options import parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and return the exit status; 2 for a mistake in what was asked."""
    try:
        launch(parse(arguments))
    except GobangError as error:
        print(f"gobang train: {error}", file=sys.stderr)
        return EXIT_INVALID
    return 0


if __name__ == "__main__":
    sys.exit(main())
