"""A report on a run, or several runs in the same plots: gobang report --run runs/8x8-1

folder of the run --> RunRecord --+--> curves --> plots --> drawings --+--> page, and PNG files beside it
                                  +--> games --> search --> boards ----+
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from evaluator.report.run_record import RunRecord, read_runs
from gobang.command_line import EXIT_INTERRUPTED
from gobang.commands import run_as_module
from gobang.errors import GobangError, InvalidConfig
from gobang.run_place import check_links

NAME: Final = "report.html"
COMPARISON_NAME: Final = "comparison.html"


def run(arguments: argparse.Namespace) -> int:
    """Write the page that the arguments describe; returns the exit code."""
    if arguments.games < 0:
        raise InvalidConfig(f"--games {arguments.games}: 0 or more")
    try:
        runs = read_runs(arguments.run)
        out = arguments.out or (Path(COMPARISON_NAME) if len(runs) > 1 else runs[0].folder.root / NAME)
        if arguments.out is None:  # a folder from elsewhere must not choose what is written over
            check_links(out.parent, (out, out.with_suffix("")))
        _write(runs, arguments.games if len(runs) == 1 else 0, out)
    except OSError as error:
        raise GobangError(str(error)) from error
    except KeyboardInterrupt:
        print("interrupted; no page was written", file=sys.stderr)
        return EXIT_INTERRUPTED
    print(f"report: {out} ({out.stat().st_size / 1e6:.1f} MB), plots as PNG files in {out.with_suffix('')}/")
    return 0


def _write(runs: Sequence[RunRecord], games: int, out: Path) -> None:
    from evaluator.report.report import write_report  # matplotlib takes a second to load

    write_report(runs, games, out, sys.stderr)


main: Final = partial(run_as_module, "report", run)

if __name__ == "__main__":
    sys.exit(main())
