"""A report on a run, or several runs in the same plots: python -m evaluator.report --run runs/8x8-1

folder of the run --> RunRecord --+--> curves --> plots --> drawings --+--> page, and PNG files beside it
                                  +--> games --> search --> boards ----+
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.report.run_record import RunRecord, read_runs
from gobang.command_line import EXIT_INTERRUPTED
from gobang.errors import GobangError

NAME: Final = "report.html"
COMPARISON_NAME: Final = "comparison.html"

_EXAMPLES: Final = """\
examples:
  python -m evaluator.report --run runs/8x8-1                      # writes runs/8x8-1/report.html
  python -m evaluator.report --run runs/8x8-1 --games 0            # curves alone, without searching any game
  python -m evaluator.report --run runs/own runs/paper --out both.html   # curves of two runs in the same plots

The run may still be going on: nothing in its folder is locked or changed, and what it has not measured yet is left
out. The page needs nothing beside it; the plots lie as PNG files in a folder named after the page, such as report/.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page that the arguments describe; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        if arguments.games < 0:
            raise GobangError(f"--games {arguments.games}: 0 or more")
        runs = read_runs(arguments.run)
        out = arguments.out or (Path(COMPARISON_NAME) if len(runs) > 1 else runs[0].folder.root / NAME)
        _write(runs, arguments.games if len(runs) == 1 else 0, out)
    except (GobangError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted; no page was written", file=sys.stderr)
        return EXIT_INTERRUPTED
    print(f"report: {out} ({out.stat().st_size / 1e6:.1f} MB), plots as PNG files in {out.with_suffix('')}/")
    return 0


def _write(runs: Sequence[RunRecord], games: int, out: Path) -> None:
    try:
        from evaluator.report.report import write_report
    except ModuleNotFoundError as error:
        raise GobangError(f"the report needs {error.name}: pip install 'gobang[report]'") from error
    write_report(runs, games, out, sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluator.report",
        description="Write the curves and a few annotated games of a run as one HTML page, with PNG files beside it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--run",
        type=Path,
        nargs="+",
        action="extend",
        required=True,
        metavar="DIR",
        help="folder of a run, finished or going on; several are compared",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"the page (DIR/{NAME}; of several runs ./{COMPARISON_NAME})"
    )
    parser.add_argument("--games", type=int, default=4, metavar="N", help="of a single run, to annotate (4)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
