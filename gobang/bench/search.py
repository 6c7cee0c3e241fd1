"""Speeds of the search without a network: trees, random games, the tactical solver, a new process."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import numpy as np

from gobang.children import PROCESSES, tied
from gobang.evaluators.null import NullEvaluator
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.threats.tactical_positions import tactical_positions
from gobang.search.threats.tactics import solve, solve_many, tactics_workspace
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.playout import play_out_many, playout_workspace
from gobang.search.trees.rollout import RolloutSearch
from gobang.search.trees.search import Search
from gobang.search.trees.tree import bytes_per_node
from gobang.types import Variant

_RUNS: Final = 7
_LEAVES_ALONE: Final = 32  # per step, where one game is searched alone
_SOLVER_NODES: Final = 2000


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
    with PROCESSES.Pool(processes) as pool:
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
    config = SearchConfig(simulations=args.sims, c_puct=5.0, fpu="zero", fpu_reduction=0.0, solver=False)
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
    print(f"tree search with playouts   {rates}")
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
from gobang.evaluators.null import NullEvaluator
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import Search
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
        printed = subprocess.run(tied([sys.executable, "-c", code]), capture_output=True, text=True, check=True).stdout
        found.append([float(number) for number in printed.split()])
    seconds, megabytes = median(row[0] for row in found[1:]), max(row[1] for row in found)
    print(f"import and first search     {seconds:.2f} s, {megabytes:.0f} MB resident")
    return {"starts_per_s": 1 / seconds, "seconds": seconds, "megabytes": megabytes}
