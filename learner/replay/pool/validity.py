"""Checks a decoded game: one kernel replays its moves and looks at all that was stored with them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import legal_moves, outcome_after
from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry
from gobang.rules.rule import may_play
from gobang.types import EMPTY, UNDECIDED

VALID: Final = 0
_OFF_BOARD: Final = 1
_OCCUPIED: Final = 2
_FORBIDDEN: Final = 3
_AFTER_THE_END: Final = 4
_UNFINISHED: Final = 5
_OTHER_OUTCOME: Final = 6
_POLICY_POINT: Final = 7
_POLICY_TWICE: Final = 8
_POLICY_SUM: Final = 9
_SEARCHED_SUM: Final = 10
_SURPRISE: Final = 11

FAULTS: Final = {
    _OFF_BOARD: "the move is not on the board",
    _OCCUPIED: "the move is on an occupied point",
    _FORBIDDEN: "the move is forbidden for black",
    _AFTER_THE_END: "the game was decided before",
    _UNFINISHED: "the game is not decided by its last move",
    _OTHER_OUTCOME: "the game ended with another outcome",
    _POLICY_POINT: "the policy has a point that may not be played",
    _POLICY_TWICE: "the policy has a point twice",
    _POLICY_SUM: "the shares of the policy do not sum to one, or one is zero",
    _SEARCHED_SUM: "the searched chances do not sum to one",
    _SURPRISE: "the surprise is negative or not finite",
}

_LARGEST_HALF: Final = 0x7BFF  # bits of the largest finite float16; below are all that are not negative


class StoredGame(NamedTuple):
    """A game of T >= 1 moves as it is stored: shares and chances are units, which sum to a whole."""

    moves: NDArray[np.int16]  # [T]
    outcome: int
    policy_start: NDArray[np.int32]  # [T + 1]
    policy_point: NDArray[np.int16]  # [N]
    policy_units: NDArray[np.uint16]  # [N]
    searched_units: NDArray[np.uint16]  # [T, P + 1]
    surprise_bits: NDArray[np.uint16]  # [T] of float16


@kernel
def first_fault(
    geometry: Geometry, cells: NDArray[np.int8], legal: NDArray[np.bool_], game: StoredGame, whole: int
) -> tuple[int, int]:
    """The first fault of a game and the ply it is at, or VALID.

    `cells` [A], all EMPTY, and `legal` [A] are scratch.  A ply that was searched for a policy has searched chances.
    """
    moves, searched_units = game.moves, game.searched_units
    to_move, last = 0, len(moves) - 1
    for ply in range(len(moves)):
        point = int(moves[ply])
        if point < 0 or point >= len(cells):
            return _OFF_BOARD, ply
        if cells[point] != EMPTY:
            return _OCCUPIED, ply
        if not may_play(geometry, cells, point, to_move):
            return _FORBIDDEN, ply
        fault = _policy_fault(geometry, cells, legal, to_move, game, ply, whole)
        if fault != VALID:
            return fault, ply
        mass = 0
        for column in range(searched_units.shape[1]):
            mass += int(searched_units[ply, column])
        if mass != whole and (mass != 0 or game.policy_start[ply + 1] > game.policy_start[ply]):
            return _SEARCHED_SUM, ply
        if game.surprise_bits[ply] > _LARGEST_HALF:
            return _SURPRISE, ply
        cells[point] = to_move + 1
        to_move = to_move + 1 if to_move + 1 < geometry.players else 0
        reached = outcome_after(geometry, cells, point, to_move)
        if reached != UNDECIDED and ply < last:
            return _AFTER_THE_END, ply + 1
        if reached == UNDECIDED and ply == last:
            return _UNFINISHED, ply
        if reached != game.outcome and ply == last:
            return _OTHER_OUTCOME, ply
    return VALID, 0


@kernel
def _policy_fault(
    geometry: Geometry,
    cells: NDArray[np.int8],
    legal: NDArray[np.bool_],
    to_move: int,
    game: StoredGame,
    ply: int,
    whole: int,
) -> int:
    """VALID, or what is wrong with one ply's policy: each point legal and once, shares that sum to one."""
    start, stop = game.policy_start[ply], game.policy_start[ply + 1]
    if start == stop:
        return VALID
    legal_moves(geometry, cells, to_move, legal)
    mass = 0
    for entry in range(start, stop):
        point = int(game.policy_point[entry])
        if point < 0 or point >= len(cells):
            return _POLICY_POINT
        if not legal[point]:
            return _POLICY_POINT
        for before in range(start, entry):
            if game.policy_point[before] == point:
                return _POLICY_TWICE
        if game.policy_units[entry] == 0:
            return _POLICY_SUM
        mass += int(game.policy_units[entry])
    return VALID if mass == whole else _POLICY_SUM
