"""One game in Python: a position that is played forwards and backwards, with clear errors."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gobang.errors import IllegalMove
from gobang.numbers import read_whole
from gobang.rules.board import legal_moves, outcome_after, position_key
from gobang.rules.geometry import geometry
from gobang.rules.renju import ALLOWED, FORBIDDEN_REASONS
from gobang.rules.rule import refusal
from gobang.rules.symmetry import symmetries
from gobang.types import EMPTY, NO_MOVE, UNDECIDED, Positions, Variant


def point_name(variant: Variant, point: int) -> str:
    """Name of a point, column letter and row number, e.g. 0 -> "a1"."""
    row, column = divmod(point, variant.width)
    return f"{string.ascii_lowercase[column]}{row + 1}"


def parse_point(variant: Variant, name: str) -> int:
    """Return the point with a name such as "h8"; raise IllegalMove for any other text."""
    column, row = name[:1].lower(), read_whole(name[1:])
    if row is None or not (column and column in string.ascii_lowercase[: variant.width]):
        raise IllegalMove(f"{name[:40]!r} is not a point of a {variant.height}x{variant.width} board, such as a1")
    if not 1 <= row <= variant.height:
        raise IllegalMove(f"{name[:40]!r}: rows are 1 to {variant.height}")
    return (row - 1) * variant.width + string.ascii_lowercase.index(column)


class Position:
    """A game in progress.  `play` and `undo` keep every attribute consistent; read them, do not set them."""

    __slots__ = ("cells", "moves", "outcome", "to_move", "variant")

    def __init__(self, variant: Variant, moves: Iterable[int] = ()) -> None:
        self.variant = variant
        self.cells: NDArray[np.int8] = np.zeros(variant.points, np.int8)  # [A] EMPTY or player + 1
        self.moves: list[int] = []  # points in the order of play
        self.to_move = 0  # player
        self.outcome = UNDECIDED  # or who won, as an index into chances
        for point in moves:
            self.play(point)

    @classmethod
    def from_stones(cls, variant: Variant, stones: Sequence[Sequence[int]], to_move: int) -> Position:
        """A position set up by hand: the points of each player's stones, and who is next.

        Stones in excess of what alternate play allows are put first in `moves`; a position that is
        already decided keeps UNDECIDED unless its last stone decided it.
        """
        if len(stones) != variant.players or not 0 <= to_move < variant.players:
            raise IllegalMove(f"stones of {len(stones)} players, player {to_move} to move: the game is {variant}")
        position = cls(variant)
        for player, points in enumerate(stones):
            for point in points:
                position._check_empty(point)
                position.cells[point] = player + 1
        position.moves = _interleave(stones, to_move)
        position.to_move = to_move
        if position.moves:
            position.outcome = outcome_after(geometry(variant), position.cells, position.moves[-1], to_move)
        return position

    def copy(self) -> Position:
        """An independent copy."""
        other = Position(self.variant)
        other.cells = self.cells.copy()
        other.moves = self.moves.copy()
        other.to_move = self.to_move
        other.outcome = self.outcome
        return other

    def play(self, point: int) -> None:
        """Put the stone of the side to move on a point, or raise IllegalMove and change nothing."""
        point = int(point)  # of whatever integer type: kernels are compiled for one
        self.check(point)
        self.cells[point] = self.to_move + 1
        self.moves.append(point)
        self.to_move = (self.to_move + 1) % self.variant.players
        self.outcome = outcome_after(geometry(self.variant), self.cells, point, self.to_move)

    def undo(self) -> int:
        """Take the last stone back and return its point."""
        if not self.moves:
            raise IllegalMove("there is no move to take back")
        point = self.moves.pop()
        self.to_move = int(self.cells[point]) - 1
        self.cells[point] = EMPTY
        self.outcome = UNDECIDED
        return point

    def check(self, point: int) -> None:
        """Raise IllegalMove with the reason if the side to move may not play the point."""
        if self.outcome != UNDECIDED:
            raise IllegalMove(f"{self._name(point)} cannot be played: the game is over")
        self._check_empty(point)
        reason = refusal(geometry(self.variant), self.cells, int(point), self.to_move)
        if reason != ALLOWED:
            raise IllegalMove(f"{self._name(point)} is forbidden for black: {FORBIDDEN_REASONS[reason]}")

    def legal(self) -> NDArray[np.bool_]:
        """[A] which points the side to move may play; none once the game is over."""
        mask = np.zeros(self.variant.points, np.bool_)
        if self.outcome == UNDECIDED:
            legal_moves(geometry(self.variant), self.cells, self.to_move, mask)
        return mask

    @property
    def last_move(self) -> int:
        """The last point played, or NO_MOVE."""
        return self.moves[-1] if self.moves else NO_MOVE

    @property
    def last_moves(self) -> list[int]:
        """The last M points played, the latest first; NO_MOVE where there are fewer."""
        count = self.variant.moves_shown
        return [*self.moves[: -count - 1 : -1], *[NO_MOVE] * (count - len(self.moves))]

    @property
    def key(self) -> int:
        """Zobrist key of the stones and the side to move."""
        return int(position_key(geometry(self.variant), self.cells, self.to_move))

    def __str__(self) -> str:
        return draw_board(self)

    def _name(self, point: int) -> str:
        return point_name(self.variant, point) if 0 <= point < self.variant.points else f"point {point}"

    def _check_empty(self, point: int) -> None:
        if not 0 <= point < self.variant.points:
            raise IllegalMove(f"point {point} is not on a {self.variant.height}x{self.variant.width} board")
        if self.cells[point] != EMPTY:
            raise IllegalMove(f"{self._name(point)} is occupied")


def _interleave(stones: Sequence[Sequence[int]], to_move: int) -> list[int]:
    """An order of play that ends with the stone before `to_move`, as alternate as the counts allow."""
    left = [[int(point) for point in points] for points in stones]
    moves: list[int] = []
    player = (to_move - 1) % len(stones)
    while any(left):
        if left[player]:
            moves.append(left[player].pop())
        player = (player - 1) % len(stones)
    return moves[::-1]


def as_batch(positions: Sequence[Position]) -> Positions:
    """Positions of one variant as the arrays that an evaluator takes."""
    return Positions(
        variant=positions[0].variant,
        cells=np.stack([position.cells for position in positions]),
        to_move=np.array([position.to_move for position in positions], np.int8),
        last_moves=np.array([position.last_moves for position in positions], np.int16),
        key=np.array([position.key for position in positions], np.uint64),
    )


def draw_board(position: Position, marks: Mapping[int, str] | None = None) -> str:
    """The board as text, row 1 at the bottom; the last move stands in brackets, marks on empty points."""
    variant = position.variant
    stones = ".XO#@"
    lines = []
    for row in reversed(range(variant.height)):
        line = f"{row + 1:>2} "
        for column in range(variant.width):
            point = row * variant.width + column
            mark = stones[position.cells[point]]
            if marks and position.cells[point] == EMPTY:
                mark = marks.get(point, mark)
            line += f"[{mark}]" if point == position.last_move else f" {mark} "
        lines.append(line.rstrip())
    lines.append("   " + "".join(f" {string.ascii_lowercase[column]} " for column in range(variant.width)).rstrip())
    return "\n".join(lines)


def symmetry_class(position: Position) -> bytes:
    """The same bytes for positions that a symmetry of the board takes into each other."""
    table = symmetries(position.variant.height, position.variant.width)
    images: list[bytes] = [position.cells[image].tobytes() for image in table]
    return min(images)
