"""Speeds of this machine: `python -m gobang.bench search --size 8 --games 64 --sims 400`.

Each figure is the median of several runs, printed with the lowest and highest.  Run it alone: two
benchmarks at once measure each other.  With --json the last line is one JSON object whose rates have
keys that end in `per_s`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from gobang.bench.search import run_rollout, run_search, run_solver, run_start
from gobang.errors import GobangError
from gobang.types import Variant

_ELSEWHERE: Final = {
    "train": "learner.training.bench",
    "replay": "learner.replay.bench",
    "self-play": "actors.bench",
}  # benchmarks that live above this package


def run_inference(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """A network through each backend of this machine."""
    from gobang.bench.network import run_inference as run  # loads torch

    return run(args, variant)


def run_networks(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """The table of all named networks."""
    from gobang.bench.network import run_networks as run

    return run(args, variant)


_BENCHMARKS: Final[dict[str, Callable[[argparse.Namespace, Variant], dict[str, Any]]]] = {
    "search": run_search,
    "rollout": run_rollout,
    "solver": run_solver,
    "start": run_start,
    "inference": run_inference,
    "networks": run_networks,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one benchmark."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in _ELSEWHERE:
        module = importlib.import_module(_ELSEWHERE[words[0]])
        return int(module.main(words[1:]))
    parser = argparse.ArgumentParser(
        prog="gobang bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=[*_BENCHMARKS, *_ELSEWHERE], help="which part to measure")
    parser.add_argument("--size", type=int, default=8, help="points a side (default 8)")
    parser.add_argument("--k", type=int, default=5, help="stones in a row (default 5)")
    parser.add_argument("--games", type=int, default=64, help="games in lock step; 1 is one game alone (default 64)")
    parser.add_argument("--sims", type=int, default=400, help="simulations per move (default 400)")
    parser.add_argument("--network", default="gobang_4x64", help="a named network, for inference (default gobang_4x64)")
    parser.add_argument("--processes", type=int, default=1, help="also so many search processes at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    args = parser.parse_args(words)
    try:
        variant = Variant.square(args.size, k=args.k)
        if min(args.games, args.sims, args.processes) < 1:
            parser.error("--games, --sims and --processes must be at least 1")
        report = _BENCHMARKS[args.what](args, variant)
    except GobangError as error:
        parser.error(str(error))
    if args.json:
        print(json.dumps({"benchmark": args.what, "size": args.size, **report}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
