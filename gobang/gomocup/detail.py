"""What an engine tells while it thinks, as managers read it: MESSAGE REALTIME of Yixin-Board, INFO of Rapfi.

Yixin-Board names a point by row and column from 0, the protocol itself by column and row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from gobang.players.gomocup_text import write_xy
from gobang.rules.position import Position, point_name
from gobang.types import UNDECIDED, Analysis, MoveAnalysis

NONE: Final = 0  # values of INFO show_detail
REALTIME: Final = 1
INFO: Final = 2
BOTH: Final = 3

_SCALE: Final = 200.0  # of an evaluation: at +200 the odds are e to 1
_LARGEST: Final = 2000
_LONGEST_LINE: Final = 12  # moves


def detail_lines(position: Position, analysis: Analysis, seconds: float, kind: int) -> Iterator[str]:
    """The lines of one report on the search of a position."""
    if not analysis.moves:
        return
    if kind in (REALTIME, BOTH):
        yield from _realtime(position, analysis)
    if kind in (INFO, BOTH):
        for number, move in enumerate(analysis.moves):
            yield from _info(position, analysis, move, number, seconds)
    if kind == NONE:  # asked by YXNBEST alone: a line for people
        yield from (_words(position, move, number) for number, move in enumerate(analysis.moves, 1))


def evaluation(move: MoveAnalysis, player: int) -> str:
    """The value of a move to who plays it, e.g. "123", or "+M7" for a win that is proved in a line of 7 moves."""
    if move.proven == player:
        return f"+M{len(move.line)}"
    if move.proven != UNDECIDED and move.proven < len(move.chances) - 1:
        return f"-M{len(move.line)}"
    points = min(max(_points(move, player), 1e-6), 1 - 1e-6)
    return str(round(max(-_LARGEST, min(_LARGEST, _SCALE * math.log(points / (1 - points))))))


def _realtime(position: Position, analysis: Analysis) -> Iterator[str]:
    best, width = analysis.moves[0], position.variant.width
    yield "MESSAGE REALTIME REFRESH"
    yield f"MESSAGE REALTIME BEST {best.point // width},{best.point % width}"
    yield f"MESSAGE REALTIME VAL {evaluation(best, position.to_move)}"
    yield f"MESSAGE REALTIME PV {_names(position, best)}"


def _info(position: Position, analysis: Analysis, move: MoveAnalysis, number: int, seconds: float) -> Iterator[str]:
    line = " ".join(write_xy(position.variant, point) for point in move.line[:_LONGEST_LINE])
    fields = {
        "PV": number,
        "NUMPV": len(analysis.moves),
        "DEPTH": len(move.line),
        "NODES": move.visits,
        "TOTALNODES": analysis.visits,
        "TOTALTIME": round(1000 * seconds),
        "SPEED": round(analysis.visits / max(seconds, 1e-3)),
        "EVAL": evaluation(move, position.to_move),
        "WINRATE": f"{_points(move, position.to_move):.4f}",
        "BESTLINE": line,
    }
    yield from (f"INFO {key} {value}" for key, value in fields.items())
    yield "INFO PV DONE"


def _words(position: Position, move: MoveAnalysis, number: int) -> str:
    win, draw = move.chances[position.to_move], move.chances[-1]
    value = f"win {win:.3f} draw {draw:.3f} visits {move.visits}"
    return f"MESSAGE {number}. {value} line {_names(position, move)}"


def _names(position: Position, move: MoveAnalysis) -> str:
    return " ".join(point_name(position.variant, point) for point in move.line[:_LONGEST_LINE])


def _points(move: MoveAnalysis, player: int) -> float:
    return move.chances[player] + move.chances[-1] / 2
