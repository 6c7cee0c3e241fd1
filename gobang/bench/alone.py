"""One game alone, by one thread and by several: `gobang bench alone --size 15 --threads 2`.

A network, by default that of the nearest board, searches positions after a few random moves, each in a tree of its own.
Both searches take turns position by position, so that what else the machine does meets both alike; each
position is new to both, so that no answer is remembered.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any, Final

from gobang.errors import InvalidConfig
from gobang.openings import random_openings
from gobang.players.options import NetOptions
from gobang.players.searching import SearchingPlayer, make_net
from gobang.players.trained import nearest_trained
from gobang.rules.position import Position
from gobang.types import Variant

_OPENING_PLIES: Final = 2  # after which no solver knows the winner


def run(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """Print and return simulations per second by threads, and their ratio."""
    network = args.weights or nearest_trained(variant)
    if network is None:
        raise InvalidConfig(f"{variant}: there is no trained network to search with; name one with --weights")
    players = [make_net(NetOptions(file=network, threads=threads), variant, seed=1) for threads in (1, args.threads)]
    # The first is not counted: buffers, kernels.
    openings = random_openings(variant, _OPENING_PLIES, args.positions + 1, seed=1)
    rates = [[_rate(player, Position(variant, opening), args.sims) for player in players] for opening in openings][1:]
    one, several = (median(rate) for rate in zip(*rates, strict=True))
    ratios = [rate[1] / rate[0] for rate in rates]
    print(f"network       net:{network}, {args.sims:,} simulations from each of {len(rates)} positions")
    print(f"1 thread      {one:,.0f} simulations/s")
    print(f"{args.threads} threads     {several:,.0f} simulations/s")
    print(f"ratio         {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    return {
        "one_per_s": one,
        "several_per_s": several,
        "ratio": median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
    }


def _rate(player: SearchingPlayer, position: Position, simulations: int) -> float:
    """Simulations per second of a search of a position."""
    start = time.perf_counter()
    search = player.analyse(position, simulations)
    while search.step():
        pass
    done = search.result().visits.sum()
    return float(done) / (time.perf_counter() - start)
