"""Claimed wins played to their end against every reply: a proof that trusts nothing of the solver."""

from __future__ import annotations

import numpy as np

from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.threats.threes import find_win, threes_workspace
from gobang.types import NO_MOVE, UNDECIDED, Variant
from tests.search.brute_force import winning_point

_LIMIT = 20_000


class Replay:
    """The attacker moves as the solver says, the defender in all ways that the rules allow.

    The solver remembers its proofs, so that it need not find again what it has claimed.
    """

    def __init__(self, variant: Variant) -> None:
        self._table = geometry(variant)
        self._workspace = threes_workspace(variant)
        self._won: set[bytes] = set()  # positions before a move of the attacker

    def claims(self, position: Position, nodes: int) -> bool:
        """Whether the solver claims a win; fails unless it is one."""
        move, _ = find_win(self._table, self._workspace, position.cells, position.to_move, nodes)
        if move != NO_MOVE:
            self._check(position, int(move))
        return bool(move != NO_MOVE)

    def _check(self, position: Position, move: int) -> None:
        attacker, key = position.to_move, position.cells.tobytes()
        if key in self._won:
            return
        position.play(move)
        if position.outcome == UNDECIDED:
            for reply in self._replies(position, attacker):
                position.play(reply)
                assert position.outcome == UNDECIDED, f"the defender ends the game\n{position}"
                answer, _ = find_win(self._table, self._workspace, position.cells, attacker, _LIMIT)
                assert answer != NO_MOVE, f"no win after {reply}\n{position}"
                self._check(position, int(answer))
                position.undo()
        else:
            assert position.outcome == attacker, f"the game ends otherwise\n{position}"
        position.undo()
        self._won.add(key)

    def _replies(self, position: Position, attacker: int) -> list[int]:
        """All legal replies; if the attacker could win next, those that prevent it or win."""
        replies: list[int] = np.flatnonzero(position.legal()).tolist()
        if winning_point(self._table, position.cells, attacker) < 0:
            return replies
        return [reply for reply in replies if not self._loses_at_once(position, reply, attacker)]

    def _loses_at_once(self, position: Position, reply: int, attacker: int) -> bool:
        cells = position.cells.copy()
        cells[reply] = 2 - attacker
        defender_wins = winning_point(self._table, position.cells, 1 - attacker) >= 0
        return not defender_wins and winning_point(self._table, cells, attacker) >= 0
