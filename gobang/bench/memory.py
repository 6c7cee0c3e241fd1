"""Searches under a limit of memory: `gobang bench memory --size 15 --seconds 5`.

Two Gomocup engines think about the same positions by turns, one with `INFO max_memory` of 350 MB and one with much
more.  The table says how much of its time each engine used and how many simulations it made.

The positions follow from the seed: balanced openings, played on to ply 12 by short searches of the trained network,
of which those count that leave a choice and that a longer search neither proves nor thinks to be almost decided.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any, Final

from gobang.command_line import check_two
from gobang.errors import InvalidConfig, PlayerFailure
from gobang.machine import peak_mb
from gobang.openings import balanced_openings, drawn_openings
from gobang.players.engine_process import EngineProcess
from gobang.players.gomocup_text import TWO_PLAYERS, write_xy
from gobang.players.options import NetOptions
from gobang.players.searching import SearchingPlayer, make_net
from gobang.players.trained import nearest_trained
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Analysis, Variant

_PLIES: Final = 12
_SHORT: Final = 100  # simulations for each move to that ply
_LONG: Final = 2000  # to see if a position is undecided
_DECIDED: Final = 0.85  # chances of a win from which on a position counts as decided
_GRACE_SECONDS: Final = 60.0
_START_SECONDS: Final = 120.0  # the first start on a machine compiles


@dataclass(frozen=True, kw_only=True, slots=True)
class Thought:
    """One search of an engine."""

    seconds: float
    simulations: int
    is_proven: bool


def run(args: argparse.Namespace, variant: Variant) -> dict[str, Any]:
    """Print and return how the engines used their time and how many simulations they made."""
    check_two(args, TWO_PLAYERS)
    found = list(undecided_positions(variant, args.positions, seed=args.seed))
    engines = [_engine(variant, args, megabytes) for megabytes in (args.megabytes, args.most_megabytes)]
    print("position   time  simulations    with more  ratio  peak MB with more")
    rows = []
    try:
        for number, position in enumerate(found, 1):
            small, large = _think_by_turns(engines, position, args.seconds, turn=number)
            peaks = [peak_mb(engine.pid) for engine in engines]
            rows.append((small, large))
            ratio = "proven" if small.is_proven or large.is_proven else f"{_ratio(small, large):.2f}"
            counts = f"{small.simulations:12,} {large.simulations:12,}"
            print(f"{number:8} {small.seconds / args.seconds:6.1%} {counts} {ratio:>6} {peaks[0]:8} {peaks[1]:9}")
    finally:
        for engine in engines:
            engine.close("END")
    return _summary(rows, args, peaks[0])


def undecided_positions(variant: Variant, count: int, *, seed: int) -> Iterator[Position]:
    """Yield `count` middle-game positions that neither side has almost won."""
    network = nearest_trained(variant)
    if network is None:
        raise InvalidConfig(f"{variant}: there is no trained network to choose positions with")
    player = make_net(NetOptions(file=network), variant, seed=seed)
    openings = balanced_openings(variant)
    drawn = drawn_openings(variant, openings, 20 * count, seed)
    played = (_played_on(player, Position(variant, opening)) for opening in drawn)
    yield from islice((position for position in played if _is_undecided(player, position)), count)


def _played_on(player: SearchingPlayer, position: Position) -> Position:
    while len(position.moves) < _PLIES and position.outcome == UNDECIDED:
        position.play(_searched(player, position, _SHORT).moves[0].point)
    return position


def _is_undecided(player: SearchingPlayer, position: Position) -> bool:
    if position.outcome != UNDECIDED:
        return False
    found = _searched(player, position, _LONG)
    has_choice = found.visits >= _LONG  # a single sensible move gets one simulation
    return has_choice and found.proven == UNDECIDED and max(found.chances) < _DECIDED


def _searched(player: SearchingPlayer, position: Position, simulations: int) -> Analysis:
    search = player.analyse(position, simulations)
    while search.step():
        pass
    return search.analysis(1)


def _engine(variant: Variant, args: argparse.Namespace, megabytes: int) -> EngineProcess:
    """Start an engine that has the limits of memory and time and reports its searches."""
    rules = ["--k", str(variant.k), "--rule", variant.rule]
    engine = EngineProcess(shlex.join([sys.executable, "-m", "gobang.gomocup", *rules]))
    engine.send(f"INFO max_memory {megabytes * 2**20}")
    engine.send(f"INFO timeout_turn {round(1000 * args.seconds)}")
    engine.send("INFO show_detail 2")
    engine.send(f"RECTSTART {variant.width},{variant.height}")
    deadline = time.monotonic() + _START_SECONDS
    while (answer := engine.read_line(deadline)) != "OK":
        if answer.startswith("ERROR"):
            engine.close("END")
            raise PlayerFailure(answer)
    return engine


def _think_by_turns(
    engines: list[EngineProcess], position: Position, seconds: float, turn: int
) -> tuple[Thought, Thought]:
    """Let both engines think about a position, each first every other time."""
    thoughts = {}
    for index in (0, 1) if turn % 2 else (1, 0):
        thoughts[index] = _think(engines[index], position, seconds)
    return thoughts[0], thoughts[1]


def _think(engine: EngineProcess, position: Position, seconds: float) -> Thought:
    engine.send("BOARD")
    for point in position.moves:
        is_own = position.cells[point] == position.to_move + 1
        engine.send(f"{write_xy(position.variant, point)},{1 if is_own else 2}")
    started = time.monotonic()
    engine.send("DONE")
    told: dict[str, str] = {}
    while "," not in (answer := engine.read_line(started + seconds + _GRACE_SECONDS)) or answer.startswith("INFO"):
        if answer.startswith("ERROR"):
            raise PlayerFailure(answer)
        key, _, value = answer.removeprefix("INFO ").partition(" ")
        told[key] = value
    return Thought(
        seconds=time.monotonic() - started,
        simulations=int(told.get("TOTALNODES", 0)),
        is_proven="M" in told.get("EVAL", ""),
    )


def _ratio(small: Thought, large: Thought) -> float:
    return small.simulations / max(large.simulations, 1)


def _summary(rows: list[tuple[Thought, Thought]], args: argparse.Namespace, peak: int) -> dict[str, Any]:
    """Print and return what holds of the positions that were not proven."""
    open_rows = [row for row in rows if not row[0].is_proven and not row[1].is_proven]
    report: dict[str, Any] = {"positions": len(rows), "proven": len(rows) - len(open_rows), "peak_mb": peak}
    if open_rows:
        report["least_time"] = min(small.seconds for small, _ in open_rows) / args.seconds
        report["median_ratio"] = median(_ratio(*row) for row in open_rows)
        report["ratio"] = sum(small.simulations for small, _ in open_rows) / sum(
            large.simulations for _, large in open_rows
        )
        print(f"time used      at least {report['least_time']:.1%}")
        print(f"simulations    {report['ratio']:.2f} of those with {args.most_megabytes:,} MB")
    print(f"proven         {report['proven']} of {report['positions']}")
    print(f"peak           {peak} MB resident, of {args.megabytes} MB")
    return report
