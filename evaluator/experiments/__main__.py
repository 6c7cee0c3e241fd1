"""The experiments of the works on gobang, each as one command: python -m evaluator.experiments run noise"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from evaluator.experiments.question import load, names
from gobang.command_line import concluded
from gobang.disk import write_atomically
from gobang.errors import InvalidConfig
from gobang.files import read_text

_BUDGET: Final = ("minutes", "evaluations", "iterations", "seeds", "games")
_KEPT: Final = "budget.json"  # in the folder: those of _BUDGET that were given
_EXAMPLES = """\
examples:
  %(prog)s list
  %(prog)s run noise                                   # as it stands in its file
  %(prog)s run noise --minutes 2 --seeds 1 --games 20  # a first look
  %(prog)s run noise --resume                          # go on after a kill, with the budget it was begun with
  %(prog)s run my.yaml                                 # one of your own; evaluator/experiments/question.py has the form

What is done is kept in the folder of --out, so the same command goes on where it was broken off, too.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """List the experiments, or run one; returns the exit code."""
    options = _parser().parse_args(argv)
    what = _list if options.what == "list" else partial(_run, options)
    return concluded("evaluator.experiments", what, "interrupted; the same command goes on from here")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluator.experiments",
        description="Train and compare, as the works on gobang did.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="what", required=True, metavar="list|run")
    commands.add_parser("list", help="what there is")
    run = commands.add_parser("run", help="train, play, and write the page")
    run.add_argument("name", help="of an experiment, or a YAML file")
    run.add_argument("--minutes", type=float, help="of each training (as in its file)")
    run.add_argument("--evaluations", type=int, help="of each training, in place of minutes")
    run.add_argument("--iterations", type=int, help="of each training by the works' loop (as in its file)")
    run.add_argument("--seeds", type=int, help="of each variant (as in its file)")
    run.add_argument("--games", type=int, help="of each pair, an even number; or positions (as in its file)")
    run.add_argument("--resume", action="store_true", help="go on with what lies in --out, and its budget")
    run.add_argument("--jobs", type=int, default=1, help="processes that play, or train by iterations (%(default)s)")
    run.add_argument("--dry-run", action="store_true", help="measure, and say the hours and the disk it will take")
    run.add_argument("--out", type=Path, metavar="DIR", help="folder of runs, games and page (experiments/NAME)")
    run.add_argument("--page", type=Path, metavar="DIR", help="folder of the page and its pictures, if not --out")
    return parser


def _list() -> None:
    for name in names():
        question = load(name)
        print(f"{name:14}{question.title}: {question.work}")


def _run(options: argparse.Namespace) -> None:
    from evaluator.experiments.forecast import forecast
    from evaluator.experiments.laboratory import Laboratory  # compiled code takes a while to load
    from evaluator.experiments.page import write_page

    folder = options.out or Path("experiments") / Path(options.name).stem
    given = {key: getattr(options, key) for key in _BUDGET if getattr(options, key) is not None}
    if options.resume:
        given = {**_kept(folder), **given}
    question = replace(load(options.name), **given)
    question.check()
    if question.iterations and {"minutes", "evaluations"} & set(given):
        raise InvalidConfig(f"{options.name} counts iterations of the works' loop: give --iterations")
    if options.dry_run:
        for line in forecast(question, Laboratory(question, folder, options.jobs), options.jobs):
            print(line)
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / _KEPT, (json.dumps(given) + "\n").encode())
    findings = Laboratory(question, folder, options.jobs).run()
    print(f"page: {write_page(options.name, question, findings, options.page or folder)}")


def _kept(folder: Path) -> dict[str, float]:
    """What was given when the experiment in the folder was begun."""
    try:
        given: dict[str, float] = json.loads(read_text(folder / _KEPT))
    except (OSError, ValueError) as error:
        raise InvalidConfig(f"{folder} holds no experiment to resume: {error}") from error
    return given


if __name__ == "__main__":
    sys.exit(main())
