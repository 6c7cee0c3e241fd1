"""Train as the works on gobang did: python -m learner.paper --run runs/noise-1 --iterations 1500 --set noise=0.2

The same command goes on where it was killed, and ends with the same weights as without the kill.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from gobang.command_line import concluded
from gobang.compiling import with_notice
from gobang.errors import GobangError, InvalidConfig
from gobang.run_folder import RunFolder, weights_path
from gobang.settings import read_yaml, write_yaml
from learner.paper.check import EVERY, FIRST_RUNG, hold_check
from learner.paper.config import PaperConfig, read_paper_config
from learner.paper.loop import STATE, PaperRun
from learner.run.options import assigned


def main(argv: Sequence[str] | None = None) -> int:
    """Train, or measure; return the exit code."""
    given = _parser().parse_args(argv)
    return concluded("learner.paper", lambda: _run(given), "interrupted; the same command goes on from here")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m learner.paper", description=__doc__, allow_abbrev=False)
    parser.add_argument("--run", type=Path, metavar="DIR", help="folder of the run")
    parser.add_argument("--iterations", type=int, default=1500, help="games of self-play in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of everything (%(default)s)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="assignments")
    parser.add_argument(
        "--measure", action="store_true", help="play one group of games and print seconds and bytes of the whole"
    )
    return parser


def _run(given: argparse.Namespace) -> None:
    config = read_paper_config({**assigned({}, given.assignments), "seed": given.seed})
    if given.iterations < 1:
        raise InvalidConfig(f"--iterations {given.iterations}: at least 1")
    with with_notice(sys.stderr):
        if given.measure:
            print(json.dumps(measured(config, given.iterations)))
            return
        if given.run is None:
            raise InvalidConfig("--run: name the folder of the run")
        _train(config, RunFolder(given.run), given.iterations)


def _train(config: PaperConfig, folder: RunFolder, iterations: int) -> None:
    with folder.locked():
        if not folder.config.exists():
            folder.create(write_yaml(config))
        elif read_paper_config(read_yaml(folder.config)) != config:
            raise InvalidConfig(f"{folder.root} holds a run with other settings; choose another --run")
        else:
            folder.reopen(write_yaml(config))
        name = folder.root.name
        try:
            PaperRun(config, folder, lambda line: print(f"{name}: {line}", file=sys.stderr)).train(iterations)
        except OSError as error:
            raise GobangError(f"{folder.root}: {error}; mend that, then the same command goes on") from error


def measured(config: PaperConfig, iterations: int) -> dict[str, float]:
    """Play one group of games with a fresh network, update and check it, and return what a whole run takes.

    The second group counts: the first one compiles kernels.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = RunFolder(Path(name) / "run")
        folder.create(write_yaml(config))
        run = PaperRun(config, folder, lambda line: None)
        group = min(config.games_at_once, EVERY // 2 - 1)
        run.train(group)
        started = time.monotonic()
        run.train(2 * group)
        each = (time.monotonic() - started) / group
        started = time.monotonic()
        hold_check(config, run.evaluator(), 0, FIRST_RUNG)
        check = time.monotonic() - started
        weights, state = (path.stat().st_size for path in (weights_path(folder, 0), folder.state / STATE))
    checks = iterations // EVERY
    return {"seconds": each * iterations + check * checks, "bytes": weights * (checks + 1) + state, "check": check}


if __name__ == "__main__":
    sys.exit(main())
