"""Speeds of this machine: `python -m gobang.bench search --size 8 --games 64 --sims 400`.

Each figure is the median of several runs, printed with the lowest and highest.  Run it alone: two
benchmarks at once measure each other.  With --json the last line is one JSON object whose rates have
keys that end in `per_s`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final

import numpy as np

from gobang.errors import GobangError
from gobang.network.null import NullEvaluator
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.config import SearchConfig
from gobang.search.playout import play_out_many, playout_workspace
from gobang.search.rollout import RolloutSearch
from gobang.search.search import Search
from gobang.search.tactical_positions import tactical_positions
from gobang.search.tactics import solve, solve_many, tactics_workspace
from gobang.search.tree import bytes_per_node
from gobang.types import Variant

_RUNS: Final = 7
_LEAVES_ALONE: Final = 32  # per step, where one game is searched alone
_SOLVER_NODES: Final = 2000
_ELSEWHERE: Final = {
    "train": "learner.bench",
    "replay": "learner.replay.bench",
    "self-play": "actors.bench",
}  # benchmarks that live above this package


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """A rate measured several times, e.g. 1.2e6 simulations per second, from 1.1e6 to 1.3e6."""

    per_s: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        return f"{self.per_s / 1e6:.3f} M/s ({self.lowest / 1e6:.3f} to {self.highest / 1e6:.3f})"


def measure(work: Callable[[], float], runs: int = _RUNS) -> Rates:
    """Rates of `work`, which returns how much it did, after one call that is not counted."""
    work()
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        amount = work()
        found.append(amount / (time.perf_counter() - start))
    return Rates(per_s=median(found), lowest=min(found), highest=max(found))


def search_rates(variant: Variant, games: int, simulations: int, *, solver: bool, algorithm: str = "puct") -> Rates:
    """Simulations per second with a null evaluator, from empty boards, as the papers weigh first plays."""
    config = SearchConfig(
        simulations=simulations,
        algorithm=algorithm,
        fpu="zero",
        fpu_reduction=0.0,
        leaves=_LEAVES_ALONE if games == 1 else 1,
        solver=solver,
    )
    search = Search(variant, config, NullEvaluator(variant), games=games, rng=np.random.default_rng(0))
    positions = [Position(variant)] * games
    repeats = max(1, 50_000 // (games * simulations))

    def work() -> float:
        for _ in range(repeats):
            search.run(positions)
        return float(repeats * games * simulations)

    return measure(work)


def _rate_of_process(arguments: tuple[Variant, int, int, bool]) -> float:
    variant, games, simulations, solver = arguments
    return search_rates(variant, games, simulations, solver=solver).per_s


def side_by_side(variant: Variant, games: int, simulations: int, processes: int) -> float:
    """Simulations per second of several search processes at once, all together."""
    work = [(variant, games, simulations, False)] * processes
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return sum(pool.map(_rate_of_process, work))


def run_search(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """The tree search alone: solver off and on, the other algorithms, several processes."""
    plain = search_rates(variant, args.games, args.sims, solver=False)
    report = {"simulations_per_s": plain.per_s, "lowest": plain.lowest, "highest": plain.highest}
    print(f"puct, solver off      {plain}")
    print(f"puct, solver on       {search_rates(variant, args.games, args.sims, solver=True)}")
    for algorithm in ("gumbel", "ucb1"):
        rates = search_rates(variant, args.games, args.sims, solver=False, algorithm=algorithm)
        print(f"{algorithm + ', solver off':22}{rates}")
    nodes = args.sims + args.sims // 8 + 2
    report["megabytes_per_tree"] = nodes * bytes_per_node(variant) / 1e6
    print(f"memory per tree       {report['megabytes_per_tree']:.2f} MB")
    if args.processes > 1:
        one = side_by_side(variant, args.games, args.sims, 1)
        together = side_by_side(variant, args.games, args.sims, args.processes)
        report["processes_ratio"] = together / one
        print(f"{args.processes} processes           {together / 1e6:.3f} M/s, {together / one:.2f}x one process")
    return report


def run_rollout(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """Random games alone, and under a tree search."""
    config = SearchConfig(simulations=max(args.sims, 20_000), c_puct=5.0, fpu="zero", fpu_reduction=0.0, solver=False)
    search = RolloutSearch(variant, config, seed=0)

    def tree() -> float:
        search.run([Position(variant)])
        return float(config.simulations)

    table = geometry(variant)
    workspace = playout_workspace(variant, len(table.mask))
    start, board = Position(variant), np.zeros(variant.points, np.int8)
    tally = np.zeros(variant.players + 1, np.int64)

    def games() -> float:
        play_out_many(table, workspace, start.cells, start.to_move, board, tally, 50_000)
        return 50_000.0

    rates, bare = measure(tree), measure(games)
    print(f"tree search with rollouts   {rates}")
    print(f"random games alone          {bare}")
    return {"playouts_per_s": rates.per_s, "lowest": rates.lowest, "highest": rates.highest, "games_per_s": bare.per_s}


def run_solver(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """The tactical solver on play at random with threats about: where it has to search, and on all positions."""
    table, workspace = geometry(variant), tactics_workspace(variant, _SOLVER_NODES)
    cells, to_move = tactical_positions(variant, 4096, np.random.default_rng(0))
    searched = np.array(
        [
            solve(table, workspace, row, int(player), _SOLVER_NODES)[2] > 0
            for row, player in zip(cells, to_move, strict=True)
        ]
    )
    hard, hard_to_move = cells[searched], to_move[searched]

    def nodes() -> float:
        return float(solve_many(table, workspace, hard, hard_to_move, _SOLVER_NODES, 4096 // len(hard) + 1))

    def positions() -> float:
        solve_many(table, workspace, cells, to_move, _SOLVER_NODES, 10)
        return 10.0 * len(cells)

    rates, leaves = measure(nodes), measure(positions)
    print(f"stones placed where it searches   {rates}")
    print(f"positions of all kinds            {leaves}, {searched.mean():.0%} of them searched")
    return {
        "nodes_per_s": rates.per_s,
        "lowest": rates.lowest,
        "highest": rates.highest,
        "positions_per_s": leaves.per_s,
    }


_START: Final = """
import time; start = time.perf_counter()
import resource
import numpy as np
from gobang.network.null import NullEvaluator
from gobang.rules.position import Position
from gobang.search.config import SearchConfig
from gobang.search.search import Search
from gobang.types import Variant
variant = Variant.square({size}, k={k})
search = Search(variant, SearchConfig(simulations=64), NullEvaluator(variant), rng=np.random.default_rng(0))
search.run([Position(variant)])
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def run_start(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """A new process, until its first search is done, with a filled kernel cache."""
    code = _START.format(size=variant.height, k=variant.k)
    found = []
    for _ in range(4):
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        found.append([float(number) for number in printed.split()])
    seconds, megabytes = median(row[0] for row in found[1:]), max(row[1] for row in found)
    print(f"import and first search     {seconds:.2f} s, {megabytes:.0f} MB resident")
    return {"starts_per_s": 1 / seconds, "seconds": seconds, "megabytes": megabytes}


def run_inference(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """A network through each backend of this machine, by batch and threads."""
    from gobang.network.checkpoint import fresh_checkpoint
    from gobang.network.presets import preset
    from gobang.network.speed import inference_speeds

    speeds = inference_speeds(fresh_checkpoint(preset(args.network), variant), variant)
    print(f"{args.network} on {variant}\n")
    print("backend         threads  batch   positions/s  spread   of bare  of best  refresh")
    for speed in speeds:
        print(
            f"{speed.backend:15} {speed.threads:7} {speed.batch:6} {speed.evaluator.median:13,.0f}"
            f" {speed.evaluator.spread:7.0%} {speed.share:9.1%} {speed.of_best:8.1%} {speed.refresh:6.2f} s"
        )
    fastest = max(speeds, key=lambda speed: speed.evaluator.median)
    plain = max(
        speed.evaluator.median
        for speed in speeds
        if (speed.backend, speed.threads) == ("plain torch fp32", fastest.threads)
    )
    print(f"\nfastest: {fastest.backend}, {fastest.evaluator.median / plain:.2f}x plain fp32 torch at its best batch")
    return {
        "positions_per_s": fastest.evaluator.median,
        "backend": fastest.backend,
        "ratio_to_plain_torch": fastest.evaluator.median / plain,
        "rows": [asdict(speed) for speed in speeds],
    }


def run_networks(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """The table of all named networks, with the positions per second of the fastest precise backend."""
    from gobang.network.backend import choose_backend
    from gobang.network.checkpoint import fresh_checkpoint
    from gobang.network.presets import preset, preset_names
    from gobang.network.speed import inference_speeds
    from gobang.network.table import render_table

    backend = choose_backend()
    rates = {}
    for name in preset_names():
        spec = preset(name)
        game = Variant.square(variant.height, k=variant.k, players=spec.players)
        found = inference_speeds(fresh_checkpoint(spec, game), game, backends=[backend], batches=[64], threads=[1])
        rates[name] = found[0].evaluator.median
    print(render_table(rates))
    print(f"\n{backend}, batch 64, one thread")
    return {f"{name}_per_s": rate for name, rate in rates.items()}


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
