"""The row that won a game, to be shown."""

from __future__ import annotations

from gobang.rules.geometry import DIRECTIONS, geometry
from gobang.rules.position import Position
from gobang.rules.rule import row_wins
from gobang.types import UNDECIDED


def winning_row(position: Position) -> tuple[int, ...]:
    """The points of the row that the last stone completed, from one end to the other; none if it won nothing."""
    if position.outcome in (UNDECIDED, position.variant.draw) or not position.moves:
        return ()
    for down, right in DIRECTIONS:
        row = (*_stones_from(position, -down, -right)[::-1], position.last_move, *_stones_from(position, down, right))
        if row_wins(geometry(position.variant), position.outcome, len(row)):
            return row
    return ()


def _stones_from(position: Position, down: int, right: int) -> tuple[int, ...]:
    """The stones like the last one that follow it without a gap."""
    variant, points = position.variant, list[int]()
    row, column = divmod(position.last_move, variant.width)
    while True:
        row, column = row + down, column + right
        point = row * variant.width + column
        if not (0 <= row < variant.height and 0 <= column < variant.width):
            return tuple(points)
        if position.cells[point] != position.cells[position.last_move]:
            return tuple(points)
        points.append(point)
