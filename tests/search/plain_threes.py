"""Victory by threats without proof numbers, patterns and zones: every move that threatens, every reply, and fours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gobang.rules.geometry import geometry
from gobang.search.threats.tactics import FORCED, LOSS, WIN, solve, tactics_workspace
from gobang.types import EMPTY, Variant

_STONES = 20_000  # most that a search for continuous fours places


class PlainThreats:
    """Says of positions of two players in freestyle whether the attacker wins by continuous threats."""

    def __init__(self, variant: Variant, attacker: int) -> None:
        self._table, self._fours = geometry(variant), tactics_workspace(variant, _STONES)
        self._attacker = attacker
        self._known: dict[bytes, bool] = {}

    def wins(self, cells: NDArray[np.int8], threats: int) -> bool:
        """Whether the attacker, who is to move, wins with at most so many threats before its last fours."""
        key = cells.tobytes()
        if key not in self._known:
            verdict, point = self._verdict(cells, self._attacker)
            moves = [point] if verdict == FORCED else np.flatnonzero(cells == EMPTY).tolist()
            behind = (_with(cells, move, self._attacker) for move in moves if verdict != LOSS and threats > 0)
            self._known[key] = verdict == WIN or any(self._wins_after(after, threats - 1) for after in behind)
        return self._known[key]

    def _wins_after(self, cells: NDArray[np.int8], threats: int) -> bool:
        """The same with the defender to move; no, where the attacker threatens nothing."""
        defender = 1 - self._attacker
        verdict, point = self._verdict(cells, defender)
        if verdict in (WIN, LOSS):
            return verdict == LOSS
        if verdict != FORCED and not self._has_fours(cells):
            return False
        replies = [point] if verdict == FORCED else np.flatnonzero(cells == EMPTY).tolist()
        behind = [_with(cells, reply, defender) for reply in replies]
        return all(self.wins(after, threats) for after in behind if not self._has_fours(after))

    def _has_fours(self, cells: NDArray[np.int8]) -> bool:
        return self._verdict(cells, self._attacker)[0] == WIN

    def _verdict(self, cells: NDArray[np.int8], player: int) -> tuple[int, int]:
        verdict, point, _ = solve(self._table, self._fours, cells, player, _STONES)
        return verdict, point


def _with(cells: NDArray[np.int8], point: int, player: int) -> NDArray[np.int8]:
    after = cells.copy()
    after[point] = player + 1
    return after
