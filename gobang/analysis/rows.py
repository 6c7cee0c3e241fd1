"""The row that won a game, to be shown."""

from __future__ import annotations

from gobang.rules.geometry import DIRECTIONS, geometry
from gobang.rules.position import Position
from gobang.rules.rule import row_wins
from gobang.types import EMPTY, UNDECIDED


def winning_row(position: Position) -> tuple[int, ...]:
    """The points of the row that the last stone completed, from one end to the other; none if it won nothing."""
    if position.outcome in (UNDECIDED, position.variant.draw) or not position.moves:
        return ()
    for down, right in DIRECTIONS:
        behind, ahead = _stones_from(position, -down, -right), _stones_from(position, down, right)
        row = (*behind[::-1], position.last_move, *ahead)
        is_enclosed = _is_held(position, row[0], -down, -right) and _is_held(position, row[-1], down, right)
        if row_wins(geometry(position.variant), position.outcome, len(row), is_enclosed):
            return row
    return ()


def _is_held(position: Position, point: int, down: int, right: int) -> bool:
    """Whether there is a stone on the next point."""
    row, column = point // position.variant.width + down, point % position.variant.width + right
    on_board = 0 <= row < position.variant.height and 0 <= column < position.variant.width
    return on_board and position.cells[row * position.variant.width + column] != EMPTY


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
