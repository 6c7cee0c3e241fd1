"""The benchmarks: their names, arguments and help.  What a benchmark needs in order to run is loaded only then."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gobang.command_line import add_game_options, count_of

_SIZE: Final = 8
_REASON: Final = "as measured in docs/speed.md"


@dataclass(frozen=True, kw_only=True, slots=True)
class Benchmark:
    """One part to measure."""

    function: str  # "module:function", imported when it runs; arguments -> the report, to be printed as JSON
    meaning: str
    arguments: Callable[[argparse.ArgumentParser], None]


def add_benchmarks(parser: argparse.ArgumentParser) -> None:
    """Give the parser of `bench` a parser for each benchmark."""
    group = parser.add_subparsers(title="what to measure", metavar="WHAT", dest="what", required=True)
    for name, benchmark in BENCHMARKS.items():
        description = f"{benchmark.meaning[0].upper()}{benchmark.meaning[1:]}."
        own = group.add_parser(name, help=benchmark.meaning, description=description)
        add_game_options(own, size=_SIZE, reason=_REASON)
        benchmark.arguments(own)
        own.add_argument("--json", action="store_true", help="print one JSON object as the last line")


def _board(parser: argparse.ArgumentParser) -> None:
    """The board is all that there is to say."""


def _search(parser: argparse.ArgumentParser) -> None:
    _add_count(parser, "games", 64, "in lock step; 1 is one game alone")
    _add_count(parser, "sims", 400, "simulations per move")
    _add_count(parser, "processes", 1, "also so many at once")


def _rollout(parser: argparse.ArgumentParser) -> None:
    _add_count(parser, "sims", 20_000, "random games per move")


def _threats(parser: argparse.ArgumentParser) -> None:
    _add_count(parser, "games", 100, "whose positions are searched")
    _add_count(parser, "nodes", 5_000_000, "most of each search")
    _add_count(parser, "seed", 1, "of the games")


def _alone(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--weights", metavar="FILE", help="of the network, or builtin-GAME (that of the nearest board)")
    _add_count(parser, "threads", 2, "to compare with one")
    _add_count(parser, "sims", 2000, "simulations from each position")
    _add_count(parser, "positions", 15, "which are searched by turns")


def _memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=5.0, help="for each move (%(default)s)")
    _add_count(parser, "positions", 20, "undecided ones of the middle game")
    _add_count(parser, "megabytes", 350, "limit of memory")
    _add_count(parser, "most-megabytes", 8192, "limit to compare with")
    _add_count(parser, "seed", 1, "of the positions")


def _inference(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--network", default="gobang_4x64", help="a named network (%(default)s)")


def _train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--network", default="gobang_4x64", help="a named network (%(default)s)")
    _add_count(parser, "batch", 256, "positions per step")
    _add_count(parser, "threads", 2, "of torch")
    _add_count(parser, "steps", 20, "per measurement")
    _add_count(parser, "repeats", 5, "measurements of each variant, which take turns")


def _replay(parser: argparse.ArgumentParser) -> None:
    _add_count(parser, "entries", 19, "points of each policy")
    _add_count(parser, "positions", 200_000, "size of the window")


def _traffic(parser: argparse.ArgumentParser) -> None:
    _add_count(parser, "actors", 256, "simulated")
    _add_count(parser, "rate", 1000, "games per second of all actors together")
    _add_count(parser, "processes", 2, "that simulate the actors")
    _add_count(parser, "seconds", 20, "of each part of the measurement")


def _self_play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--network", nargs="*", help="presets to measure, instead of the cases that have goals")
    parser.add_argument("--actors", type=count_of, nargs="*", default=[2], help="how many actors (with --network)")
    parser.add_argument("--cache", action="store_true", help="count simulations, with the cache (with --network)")
    _add_count(parser, "sims", 400, "simulations per move")
    _add_count(parser, "games", 128, "per actor (with --network)")
    _add_count(parser, "threads", 2, "of the backend")
    parser.add_argument("--max-wait-ms", type=float, default=0.0, help="longest wait for a fuller batch (%(default)s)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of self-play in each case (%(default)s)")


def _add_count(parser: argparse.ArgumentParser, name: str, default: int, meaning: str) -> None:
    parser.add_argument(f"--{name}", type=count_of, default=default, metavar="N", help=f"{meaning} (%(default)s)")


BENCHMARKS: Final[Mapping[str, Benchmark]] = {
    "search": Benchmark(
        function="gobang.bench.search:run_search", meaning="the tree search without a network", arguments=_search
    ),
    "alone": Benchmark(
        function="gobang.bench.alone:run",
        meaning="one game alone with a trained network, by one thread and by several",
        arguments=_alone,
    ),
    "memory": Benchmark(
        function="gobang.bench.memory:run",
        meaning="the time that an engine uses, and its simulations, with little memory and with much",
        arguments=_memory,
    ),
    "rollout": Benchmark(
        function="gobang.bench.search:run_rollout",
        meaning="random games, alone and under a tree search",
        arguments=_rollout,
    ),
    "solver": Benchmark(function="gobang.bench.search:run_solver", meaning="the tactical solver", arguments=_board),
    "threats": Benchmark(
        function="gobang.bench.threats:run", meaning="how soon wins by threats are found", arguments=_threats
    ),
    "start": Benchmark(
        function="gobang.bench.search:run_start",
        meaning="a new process, until its first search is done",
        arguments=_board,
    ),
    "inference": Benchmark(
        function="gobang.bench.network:run_inference",
        meaning="a network through each backend of this machine",
        arguments=_inference,
    ),
    "networks": Benchmark(function="gobang.bench.network:run_networks", meaning="all named networks", arguments=_board),
    "train": Benchmark(function="learner.training.bench:run", meaning="the training step", arguments=_train),
    "replay": Benchmark(function="learner.replay.bench:run", meaning="the replay pool", arguments=_replay),
    "traffic": Benchmark(
        function="learner.run.bench:run",
        meaning="what a cluster's actors cost Redis and the learner, simulated",
        arguments=_traffic,
    ),
    "self-play": Benchmark(
        function="actors.bench:run",
        meaning="self-play through Ray, server and pool against the bare backend",
        arguments=_self_play,
    ),
}
