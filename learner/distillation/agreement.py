"""How far a pupil answers as its teacher does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.interfaces import Evaluator
from gobang.types import EMPTY, Positions
from learner.distillation.lessons import Lessons, legal_policy

_BATCH: Final = 512
_LEAST_SHARE: Final = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Means over the positions, e.g. `Agreement(policy=0.351, chances=0.038, same_move=0.64)`."""

    policy: float  # KL divergence of the pupil's policy from the teacher's, nats
    chances: float  # the same of the chances
    same_move: float  # share of the positions in which both find the same move likeliest

    def __str__(self) -> str:
        return (
            f"KL of the policy {self.policy:.3f}, of the chances {self.chances:.3f};"
            f" the same likeliest move in {self.same_move:.1%}"
        )


def agreement(pupil: Evaluator, lessons: Lessons) -> Agreement:
    """Ask a pupil what the teacher was asked."""
    parts = [_compare(pupil, lessons.part(slice(at, at + _BATCH))) for at in range(0, len(lessons), _BATCH)]
    policy, chances, same = (float(np.concatenate(column).mean()) for column in zip(*parts, strict=True))
    return Agreement(policy=policy, chances=chances, same_move=same)


def _compare(pupil: Evaluator, lessons: Lessons) -> tuple[NDArray[np.floating], ...]:
    """[N] each of the three."""
    boards, wanted = lessons.boards, lessons.samples().policy
    keys = np.zeros(len(boards), np.uint64)  # by which only a cache tells positions apart
    positions = Positions(
        variant=boards.variant, cells=boards.cells, to_move=boards.to_move, last_moves=boards.last_moves, key=keys
    )
    answers = pupil.collect(pupil.submit(positions))
    found = legal_policy(answers, boards.cells == EMPTY)
    same = (found.argmax(axis=1) == wanted.argmax(axis=1)).astype(np.float32)
    return _divergence(wanted, found), _divergence(lessons.chances, answers.chances), same


def _divergence(wanted: NDArray[np.float32], found: NDArray[np.float32]) -> NDArray[np.floating]:
    """[N] Kullback-Leibler, nats."""
    logs = np.log(np.maximum(wanted, _LEAST_SHARE)) - np.log(np.maximum(found, _LEAST_SHARE))
    divergence: NDArray[np.floating] = (wanted * logs).sum(axis=1)
    return divergence
