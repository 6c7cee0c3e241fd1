"""The rules in plain Python, straight from their definitions: sets of coordinates, no tables, no kernels."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gobang.types import UNDECIDED, Variant

Cell = tuple[int, int]  # row, column
Cells = frozenset[Cell]
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Row(NamedTuple):
    """Neighbouring cells of one line, all on the board."""

    way: int
    cells: Cells
    ends: Cells  # the two cells next to the row, on the board or not
    beyond: Cells  # the two cells next to the ends


@cache
def board(height: int, width: int) -> Cells:
    return frozenset((row, column) for row in range(height) for column in range(width))


@cache
def rows_through(height: int, width: int, cell: Cell, length: int) -> tuple[Row, ...]:
    rows = []
    for way, (down, right) in enumerate(WAYS):
        for offset in range(length):
            line = [(cell[0] + (i - offset) * down, cell[1] + (i - offset) * right) for i in range(-2, length + 2)]
            row = Row(way, frozenset(line[2:-2]), frozenset((line[1], line[-2])), frozenset((line[0], line[-1])))
            if row.cells <= board(height, width):
                rows.append(row)
    return tuple(rows)


def is_exact(variant: Variant, player: int) -> bool:
    """Whether more than k in a row do not win for a player."""
    return variant.rule == "standard" or (variant.rule == "renju" and player == 0)


def is_restricted(variant: Variant, player: int) -> bool:
    """Whether there are points that a player may not play."""
    return variant.rule == "renju" and player == 0


class PlainGame:
    """A game as the stones of each player."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.shape = variant.height, variant.width
        self.stones: list[set[Cell]] = [set() for _ in range(variant.players)]
        self.to_move = 0
        self.outcome = UNDECIDED

    def play(self, cell: Cell) -> None:
        mover = self.to_move
        self.stones[mover].add(cell)
        self.to_move = (mover + 1) % self.variant.players
        if self.wins(mover, cell):
            self.outcome = mover
        elif not self.legal():
            self.outcome = self.variant.draw

    def empty(self) -> Cells:
        return board(*self.shape).difference(*self.stones)

    def wins(self, player: int, cell: Cell) -> bool:
        mine, theirs = self.stones[player], set().union(*self.stones) - self.stones[player]
        exact, is_caro = is_exact(self.variant, player), self.variant.rule == "caro"
        return any(
            row.cells <= mine and not (exact and row.ends & mine) and not (is_caro and row.ends <= theirs)
            for row in rows_through(*self.shape, cell, self.variant.k)
        )

    def legal(self) -> Cells:
        """Where the side to move may play, were the game not over."""
        if not is_restricted(self.variant, self.to_move):
            return self.empty()
        return self.empty().difference(forbidden_cells(self.shape, *map(frozenset, self.stones)))


def forbidden_cells(shape: tuple[int, int], black: Cells, white: Cells) -> dict[Cell, str]:
    """Each empty cell that black may not play, and why; it is always near a black stone."""
    near = {cell for stone in black for row in rows_through(*shape, stone, 5) for cell in row.cells}
    verdicts = {cell: verdict(shape, black, white, cell) for cell in near - black - white}
    return {cell: reason for cell, reason in verdicts.items() if reason not in ("", "five")}


def verdict(shape: tuple[int, int], black: Cells, white: Cells, cell: Cell) -> str:
    """What black's stone on an empty cell makes: "five", a reason why it is forbidden, or ""."""
    black = black | {cell}
    fives = [row for row in rows_through(*shape, cell, 5) if row.cells <= black]
    if any(not row.ends & black for row in fives):
        return "five"
    if fives:
        return "overline"
    if len(fours(shape, black, white, cell)) >= 2:
        return "double four"
    if len(threes(shape, black, white, cell)) >= 2:
        return "double three"
    return ""


def fours(shape: tuple[int, int], black: Cells, white: Cells, cell: Cell) -> set[Cells]:
    """The stones of each four through a cell, so that a straight four appears once."""
    return {
        row.cells & black
        for row in rows_through(*shape, cell, 5)
        if len(row.cells & black) == 4 and not row.cells & white and not row.ends & black
    }


def threes(shape: tuple[int, int], black: Cells, white: Cells, cell: Cell) -> set[int]:
    """The directions in which a cell is part of a three."""
    found = set()
    for row in rows_through(*shape, cell, 4):
        if len(row.cells & black) != 3 or row.cells & white:
            continue
        straight = row.ends <= board(*shape) - black - white and not row.beyond & black
        if straight and all(verdict(shape, black, white, last) == "" for last in row.cells - black):
            found.add(row.way)
    return found
