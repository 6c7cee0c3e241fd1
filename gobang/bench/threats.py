"""How soon wins by threats are found: `gobang bench threats --size 15`.

The positions are those of games between two weak searches in which neither continuous fours nor a
block decide.  Each is searched for long, from an empty table; what is found then is what can be found,
and the share of it that was found within less is reported, by nodes and by this process's own time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gobang.openings import random_openings
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.depth.alphabeta import DepthConfig, DepthSearch
from gobang.search.threats.tactics import NOTHING, solve, tactics_workspace
from gobang.search.threats.threes import find_win, threes_workspace
from gobang.types import NO_MOVE, UNDECIDED, Variant

_OPENING_PLIES: Final = 6
_POSITIONS: Final = 300  # of each move's search by depth
_STONES: Final = 20_000  # most that the solver of fours places
_ROWS: Final = 1 << 20  # of the table of proofs, as the searches are long
_SECONDS: Final = 0.1
_BUDGETS: Final = (10_000, 100_000, 1_000_000)  # nodes


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """One position's search, e.g. won with 12,000 nodes in 2 ms."""

    won: bool
    nodes: int
    seconds: float  # of this process


def quiet_positions(variant: Variant, games: int, *, seed: int) -> Iterator[Position]:
    """Positions of games that neither side could decide by fours, nor had to block one."""
    table, fours = geometry(variant), tactics_workspace(variant, _STONES)
    search, config = DepthSearch(variant, seed=seed), DepthConfig(nodes=_POSITIONS)
    for opening in random_openings(variant, _OPENING_PLIES, games, seed):
        position = Position(variant, opening)
        while position.outcome == UNDECIDED:
            if solve(table, fours, position.cells, position.to_move, _STONES)[0] == NOTHING:
                yield position
            search.begin(position, config)
            while search.step():
                pass
            position.play(search.move)


def proofs(variant: Variant, games: int, nodes: int, *, seed: int) -> Iterator[Proof]:
    """Search the positions of so many games with so many nodes each."""
    table, workspace = geometry(variant), threes_workspace(variant, rows=_ROWS)
    for position in quiet_positions(variant, games, seed=seed):
        workspace.table.keys[:] = 0
        begin = time.process_time()
        move, spent = find_win(table, workspace, position.cells, position.to_move, nodes)
        yield Proof(won=move != NO_MOVE, nodes=spent, seconds=time.process_time() - begin)


def run(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """Print and return the shares of wins found early, and the speed."""
    found = list(proofs(variant, args.games, args.nodes, seed=args.seed))[1:]  # the first may wait for the compiler
    won = [proof for proof in found if proof.won]
    rate = sum(proof.nodes for proof in found) / sum(proof.seconds for proof in found)
    in_time = sum(proof.seconds <= _SECONDS for proof in won) / max(1, len(won))
    print(f"positions             {len(found)}, {len(won)} won by threats within {args.nodes:,} nodes")
    print(f"unknown to the end    {sum(not proof.won and proof.nodes >= args.nodes for proof in found)}")
    for budget in _BUDGETS:
        share = sum(proof.nodes <= budget for proof in won) / max(1, len(won))
        print(f"{budget:9,} nodes       {share:.1%} of the wins")
    print(f"{1000 * _SECONDS:.0f} ms of CPU         {in_time:.1%} of the wins")
    print(f"speed                 {rate / 1e6:.1f} M nodes/s")
    return {"nodes_per_s": rate, "positions": len(found), "won": len(won), "share_in_time": in_time}
