"""Versions for tests, without any network: some see rows on the board, some see nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from evaluator.judging.contest import JudgeConfig
from evaluator.judging.gate import GateConfig
from evaluator.judging.ladder import LadderConfig
from gobang.errors import VersionGone
from gobang.interfaces import Evaluator, Ticket
from gobang.types import EMPTY, Evaluations, Positions, Variant
from gobang.versions import NO_VERSION

BOARD = Variant.square(5, 4)
CONFIG = JudgeConfig(
    simulations=8,
    solver=False,
    solved_positions=0,
    drills=False,
    pairs_at_once=4,
    gate=GateConfig(games=60, opening_plies=3),
    ladder=LadderConfig(first=10_000, last=10_000, games=2, opening_plies=3),
)


class RowCounter:
    """Even priors; the chances follow from the rows that each side can still complete, times a skill.

    Skill 0 knows nothing, 1 knows what a stone in a row is worth, -1 takes good for bad.
    """

    version = 0

    def __init__(self, variant: Variant, skill: float) -> None:
        self._skill = skill
        self._points = variant.points
        self._players = variant.players
        self._rows = rows_of(variant)

    def submit(self, positions: Positions) -> Ticket:
        worth = [
            self._worth(positions.cells == self._seat(positions, ahead), positions) for ahead in range(self._players)
        ]
        advantage = worth[0] - np.max(worth[1:], axis=0)
        chance = (1 / (1 + np.exp(-self._skill * advantage / 4))).astype(np.float32)
        others_chance = [(1 - chance) / (self._players - 1)] * (self._players - 1)
        chances = np.stack([chance, *others_chance, np.zeros_like(chance)], axis=1)
        return Evaluations(priors=np.full(positions.cells.shape, 1 / self._points, np.float32), chances=chances)

    def collect(self, ticket: Ticket) -> Evaluations:
        return ticket

    def _seat(self, positions, ahead):
        """[B, 1] the stones in `cells` of who moves so many turns later."""
        return ((positions.to_move + ahead) % self._players + 1)[:, None]

    def _worth(self, own, positions):
        """[B] how much the rows without a stone of the others are worth, each stone three times as much."""
        others = (positions.cells != EMPTY) & ~own
        stones = own[:, self._rows].sum(-1)
        return np.where(others[:, self._rows].any(-1), 0, 3.0**stones - 1).sum(-1)


def rows_of(variant: Variant) -> np.ndarray:
    """[R, k] the points of every row of k."""
    rows = []
    for point in range(variant.points):
        row, column = divmod(point, variant.width)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            last = (row + (variant.k - 1) * down, column + (variant.k - 1) * right)
            if last[0] < variant.height and 0 <= last[1] < variant.width:
                rows.append([point + step * (down * variant.width + right) for step in range(variant.k)])
    return np.array(rows)


class FakeVersions:
    """Versions with the given skills; remembers who was promoted, and fails where it is told to."""

    def __init__(self, skills: dict[int, float], board: Variant = BOARD) -> None:
        self.skills = skills
        self.board = board
        self.promoted: list[int] = []
        self.on_evaluate: Callable[[], None] = lambda: None
        self.promote_fails = False

    def newest(self) -> int:
        return max(self.skills, default=NO_VERSION)

    def evaluator(self, version: int) -> AbstractContextManager[Evaluator]:
        if version not in self.skills:
            raise VersionGone(f"version {version}: no such weights")
        return nullcontext(_Watched(self.board, self.skills[version], self))

    def promote(self, version: int) -> None:
        if self.promote_fails:
            raise ConnectionError("the learner is away")
        self.promoted.append(version)


class _Watched(RowCounter):
    def __init__(self, variant: Variant, skill: float, versions: FakeVersions) -> None:
        super().__init__(variant, skill)
        self._versions = versions

    def submit(self, positions: Positions) -> Ticket:
        self._versions.on_evaluate()
        return super().submit(positions)
