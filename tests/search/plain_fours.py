"""Victory by continuous fours in plain Python, without a cap: slow, and without the kernels' words."""

from __future__ import annotations

from functools import lru_cache

from gobang.rules.position import Position
from gobang.types import EMPTY, UNDECIDED, Variant
from tests.rules.plain import is_exact

Window = tuple[tuple[int, ...], tuple[int, ...]]  # k successive points, and the points beside them


@lru_cache
def windows(variant: Variant) -> list[Window]:
    """All windows of a board."""

    def on_board(row: int, column: int) -> bool:
        return 0 <= row < variant.height and 0 <= column < variant.width

    found = []
    for row in range(variant.height):
        for column in range(variant.width):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                steps = [(row + step * down, column + step * right) for step in range(-1, variant.k + 1)]
                if all(on_board(*step) for step in steps[1:-1]):
                    points = [r * variant.width + c for r, c in steps[1:-1]]
                    ends = [r * variant.width + c for r, c in (steps[0], steps[-1]) if on_board(r, c)]
                    found.append((tuple(points), tuple(ends)))
    return found


def holes(position: Position, player: int, count: int) -> set[tuple[int, ...]]:
    """The empty points of each window that `player` completes with so many stones."""
    variant, cells, stone = position.variant, position.cells.tolist(), player + 1
    exact = is_exact(variant, player)
    found = set()
    for points, ends in windows(variant):
        empty = tuple(point for point in points if cells[point] == EMPTY)
        own = sum(cells[point] == stone for point in points)
        if len(empty) == count and own == variant.k - count and not (exact and stone in [cells[end] for end in ends]):
            found.add(empty)
    return found


def fives(position: Position, player: int) -> set[int]:
    """The points where `player` wins at once."""
    return {empty[0] for empty in holes(position, player, 1)}


def finds_win(position: Position, known: dict[bytes, bool] | None = None) -> bool:
    """Whether the side to move, who cannot win in one, has a VCF; `known` holds what was found before."""
    attacker, known = position.to_move, {} if known is None else known
    key = position.cells.tobytes()
    if key not in known:
        threats = fives(position, 1 - attacker)
        fours = {point for pair in holes(position, attacker, 2) for point in pair}
        tries = fours & threats if threats else fours
        known[key] = len(threats) < 2 and any(wins_by(position, four, known) for four in tries)
    return known[key]


def wins_by(position: Position, four: int, known: dict[bytes, bool]) -> bool:
    """Whether a move that makes a four leads to a VCF; the defender has no win in one after it."""
    attacker = position.to_move
    if not position.legal()[four]:
        return False
    position.play(four)
    answers = fives(position, attacker)
    legal = position.legal()
    won = position.outcome == UNDECIDED
    if len(answers) == 1 and legal[min(answers)]:
        position.play(min(answers))
        won = position.outcome == UNDECIDED and finds_win(position, known)
        position.undo()
    position.undo()
    return won
