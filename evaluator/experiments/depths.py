"""Searches by depth and by threats, compared in positions of games: positions looked at, time, moves.

Search by depth is asked without the solver of threats, as far as its depth goes: all modes look at the same number of
choices of a position, though they order them by what they have learned.  Times are of this process alone (CPU).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from evaluator.experiments.question import Depths
from gobang.match import Fixture, play_games
from gobang.openings import chosen_openings, has_balanced
from gobang.players.spec import make_player, parse
from gobang.rules.position import Position
from gobang.search.depth.alphabeta import DepthConfig, DepthSearch
from gobang.search.threats.threes import ThreesSolver
from gobang.types import BALANCED, NO_MOVE, RANDOM, UNDECIDED, Variant

MINIMAX: Final = "minimax"
ALPHABETA: Final = "alpha-beta"
PVS: Final = "PVS"
REDUCED: Final = "PVS, late choices with less depth"
MODES: Final = (MINIMAX, ALPHABETA, PVS, REDUCED)
TABLE: Final = "a table of 65,536 positions"
SMALL_TABLE: Final = "one of 256"  # without any, a search by numbers of proof begins again and again
_ROWS: Final = {TABLE: 1 << 16, SMALL_TABLE: 1 << 8}
_PLAYER: Final = "alphabeta:nodes=300"  # who plays the games
_PLIES: Final = 2  # of random openings
_SEED: Final = 1
_EARLIEST: Final = 6  # ply of a position
_SPAN: Final = 16  # plies from the earliest to the latest


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """A search of one position to one depth, e.g. `Look(kind="PVS", position=3, depth=4, nodes=2071, ms=1.9, ...)`."""

    kind: str
    position: int
    depth: int
    nodes: int
    ms: float
    move: int  # or NO_MOVE; of a search by threats, that it found no win
    value: int = 0


def middle_games(variant: Variant, count: int) -> list[Position]:
    """Positions of games after openings, one of each game, in which no move is certain."""
    kind = BALANCED if has_balanced(variant) else RANDOM
    openings = chosen_openings(variant, kind, _PLIES, 4 * count, _SEED)
    found: list[Position] = []
    for number, opening in enumerate(openings):
        position = _position(variant, opening, number)
        if position is not None:
            found.append(position)
        if len(found) == count:
            break
    return found


def _position(variant: Variant, opening: Sequence[int], number: int) -> Position | None:
    with closing(make_player(parse(_PLAYER), variant, number)) as player:
        game = play_games(variant, [player], [Fixture(opening=tuple(opening), seats=(0, 0))])[0]
    ply = max(_EARLIEST, len(opening)) + number % _SPAN
    if ply >= len(game.record.moves):
        return None
    position = Position(variant, game.record.moves[:ply])
    search = DepthSearch(variant, seed=_SEED)
    search.begin(position, DepthConfig(depth=1))
    search.step()
    return position if search.nodes() and position.outcome == UNDECIDED else None


def searches_by_depth(variant: Variant, number: int, position: Position, depths: Depths) -> Iterator[Look]:
    """Of a position by each mode, to each depth."""
    configs = {
        MINIMAX: DepthConfig(mode="minimax", threats=False, depth=depths.minimax, width=depths.width),
        ALPHABETA: DepthConfig(mode="alphabeta", threats=False, depth=depths.depth, width=depths.width),
        PVS: DepthConfig(mode="pvs", threats=False, reduced=False, depth=depths.depth, width=depths.width),
        REDUCED: DepthConfig(mode="pvs", threats=False, depth=depths.depth, width=depths.width),
    }
    for kind, config in configs.items():
        search = DepthSearch(variant, seed=_SEED)
        search.begin(position, config)
        start, done, going = time.process_time(), 0, True
        while going:
            going = search.step()
            if search.depth > done:
                done = search.depth
                ms = 1000 * (time.process_time() - start)
                yield Look(
                    kind=kind,
                    position=number,
                    depth=done,
                    nodes=search.nodes(),
                    ms=ms,
                    move=search.move,
                    value=search.value,
                )


def searches_by_threats(variant: Variant, number: int, position: Position, depths: Depths) -> Iterator[Look]:
    """Of a position, with a large and a small table, to each depth."""
    for plies in depths.plies:
        for kind, rows in _ROWS.items():
            solver = ThreesSolver(variant, plies=plies, rows=rows)
            start = time.process_time()
            move = solver.winning_move(position, depths.nodes)
            ms = 1000 * (time.process_time() - start)
            yield Look(kind=kind, position=number, depth=plies, nodes=solver.nodes, ms=ms, move=move)


def warm_up(variant: Variant, depths: Depths) -> None:
    """Compile, or load, what is to be timed."""
    position = Position(variant, chosen_openings(variant, RANDOM, _EARLIEST, 1, _SEED)[0])
    small = Depths(depth=1, minimax=1, width=2, plies=depths.plies[:1], nodes=10)
    for look in (*searches_by_depth(variant, 0, position, small), *searches_by_threats(variant, 0, position, small)):
        assert look.move >= NO_MOVE
