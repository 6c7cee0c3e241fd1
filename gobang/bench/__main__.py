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
from collections.abc import Sequence
from typing import Final

from gobang.command_line import add_game_options, variant_of
from gobang.errors import GobangError

_ELSEWHERE: Final = {
    "train": "learner.training.bench",
    "replay": "learner.replay.bench",
    "self-play": "actors.bench",
}  # benchmarks that live above this package


_BENCHMARKS: Final = {  # loaded when they are run
    "search": "gobang.bench.search:run_search",
    "rollout": "gobang.bench.search:run_rollout",
    "solver": "gobang.bench.search:run_solver",
    "start": "gobang.bench.search:run_start",
    "inference": "gobang.bench.network:run_inference",
    "networks": "gobang.bench.network:run_networks",
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
    add_game_options(parser, size=8, reason="as in docs/speed.md")
    parser.add_argument("--games", type=int, default=64, help="games in lock step; 1 is one game alone (default 64)")
    parser.add_argument("--sims", type=int, default=400, help="simulations per move (default 400)")
    parser.add_argument("--network", default="gobang_4x64", help="a named network, for inference (default gobang_4x64)")
    parser.add_argument("--processes", type=int, default=1, help="also with this many processes that search at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    args = parser.parse_args(words)
    try:
        variant = variant_of(args)
        if min(args.games, args.sims, args.processes) < 1:
            parser.error("--games, --sims and --processes must be at least 1")
        place, _, function = _BENCHMARKS[args.what].partition(":")
        report = getattr(importlib.import_module(place), function)(args, variant)
    except GobangError as error:
        parser.error(str(error))
    if args.json:
        print(json.dumps({"benchmark": args.what, "game": str(variant), **report}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
