"""Minimax to a fixed depth in plain Python, by the definitions of the game and without any cut."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from gobang.rules.position import Position
from gobang.search.depth.negamax import WON, empty_stack, static_value
from gobang.search.threats.patterns import OPEN_FOUR, pattern_board
from gobang.types import UNDECIDED, Variant
from tests.rules.plain import is_restricted


@cache
def _worth(variant: Variant) -> NDArray[np.int64]:
    return empty_stack(variant).worth


def wins_in_one(position: Position, player: int) -> list[int]:
    """The points where a player, to move or not, would win at once."""
    found = []
    other = position.copy()
    other.to_move = player
    for point in np.flatnonzero(other.legal()):
        other.play(int(point))
        if other.outcome == player:
            found.append(int(point))
        other.undo()
    return found


def _still_wins(position: Position, move: int) -> bool:
    """Whether the opponent of the side to move can win in one after a move."""
    position.play(move)
    found = wins_in_one(position, position.to_move)
    position.undo()
    return bool(found)


def has_open_four(position: Position) -> bool:
    """Whether the side to move, who cannot win in one, can make an open four and may do so."""
    return not is_restricted(position.variant, position.to_move) and bool(
        pattern_board(position.variant, position.cells).counts[position.to_move, OPEN_FOUR]
    )


def minimax(position: Position, depth: int, ply: int = 0) -> int:
    """The value for the side to move as `gobang.search.depth.alphabeta` counts it, without threats and noise."""
    if position.outcome != UNDECIDED:
        return 0
    moves = np.flatnonzero(position.legal()).tolist()
    if ply > 0:
        theirs = wins_in_one(position, 1 - position.to_move)
        if wins_in_one(position, position.to_move):
            return WON - (ply + 1)
        if theirs and position.variant.rule == "caro":  # a stone beside the row may meet it too
            theirs = [move for move in moves if not _still_wins(position, move)]
            if not theirs:
                return -(WON - (ply + 2))
            moves = theirs if len(theirs) == 1 else moves
        elif len(theirs) > 1:
            return -(WON - (ply + 2))
        if not theirs and has_open_four(position):
            return WON - (ply + 3)
        if depth == 0:
            patterns = pattern_board(position.variant, position.cells)
            return int(static_value(patterns, _worth(position.variant), position.to_move))
        if position.variant.rule != "caro":
            moves = [move for move in moves if move in theirs or not theirs]
        if not moves:
            return -(WON - (ply + 2))  # the block is forbidden
    best = -WON
    for move in moves:
        position.play(move)
        best = max(best, -minimax(position, depth - 1, ply + 1))
        position.undo()
    return best
