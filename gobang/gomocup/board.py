"""Positions as a manager sets them up: the lines of BOARD and SWAP2BOARD, and TAKEBACK."""

from __future__ import annotations

from collections.abc import Sequence

from gobang.errors import IllegalMove
from gobang.players.gomocup_text import OPPONENT, OWN, read_xy, write_xy
from gobang.players.swap2 import ALL_STONES, FIRST_STONES
from gobang.rules.position import Position
from gobang.types import Variant


def read_board(variant: Variant, lines: Sequence[str]) -> Position:
    """The position of the lines `x,y,field` between BOARD and DONE; raises IllegalMove.

    Who moves next owns the stones with field 1.  Lines in the order of play keep it; in any other
    order the counts alone say who is black.
    """
    stones = [_read_stone(variant, line) for line in lines]
    own = [point for point, field in stones if field == OWN]
    others = [point for point, field in stones if field == OPPONENT]
    to_move = len(others) - len(own)
    if to_move not in (0, 1):
        raise IllegalMove(f"{len(own)} own stones and {len(others)} of the opponent: impossible in turns")
    mover_first = [OWN, OPPONENT] if to_move == 0 else [OPPONENT, OWN]
    if all(field == mover_first[ply % 2] for ply, (_, field) in enumerate(stones)):
        try:
            return Position(variant, [point for point, _ in stones])
        except IllegalMove:
            pass  # not the order of play after all; a board that cannot be at all is refused below
    return Position.from_stones(variant, (own, others) if to_move == 0 else (others, own), to_move)


def read_opening(variant: Variant, lines: Sequence[str]) -> Position:
    """The position of the lines `x,y` or `x,y,field` of SWAP2BOARD in the order of play; raises IllegalMove."""
    if len(lines) not in (0, FIRST_STONES, ALL_STONES):
        raise IllegalMove(f"{len(lines)} stones: swap2 has none, three or five on the board")
    return Position(variant, [read_xy(variant, ",".join(line.split(",")[:2])) for line in lines])


def _read_stone(variant: Variant, line: str) -> tuple[int, int]:
    xy, _, field = line.rpartition(",")
    if field.strip() not in (str(OWN), str(OPPONENT)):
        raise IllegalMove(f"{line[:40]!r} is not a stone such as 7,7,1 or 7,7,2")
    return read_xy(variant, xy), int(field)


def take_back(position: Position, point: int) -> Position:
    """The position before the stone on a point was played, if that may have been the last move."""
    if position.last_move == point:
        position.undo()
        return position
    owner = int(position.cells[point]) - 1
    stones = [[p for p in position.moves if position.cells[p] == player + 1 and p != point] for player in (0, 1)]
    if owner < 0 or len(stones[0]) - len(stones[1]) != owner:
        raise IllegalMove(f"{write_xy(position.variant, point)} cannot be the last move")
    return Position.from_stones(position.variant, stones, owner)
