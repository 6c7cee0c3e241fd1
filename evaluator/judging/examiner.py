"""Exams: how often a version of the run keeps the value of solved positions.

The journal has a line for each version that was examined.  There are solved positions of a few small
boards; of other games no version is examined.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import asdict, dataclass
from typing import Final

from evaluator.judging.contest import Stoppable
from evaluator.judging.journal import Journal, Line
from evaluator.truth.keeping import keeps_value
from evaluator.truth.solved import has_solved, load_solved
from gobang.interfaces import Evaluator, Versions
from gobang.players.options import SearchOptions
from gobang.players.searching import SearchingPlayer
from gobang.run_folder import RunFolder
from gobang.types import Variant
from gobang.versions import NO_VERSION, version_name

SIMULATIONS: Final = 64
_POLICY_ALONE: Final = 1  # simulation visits the likeliest move
_SEED: Final = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Exam:
    """The result of an exam, e.g. `Exam(version=12, keeps_value=0.93, keeps_value_policy=0.78)`."""

    version: int
    keeps_value: float  # share of the positions, with SIMULATIONS and no solver
    keeps_value_policy: float  # the same for the network's likeliest move


class Examiner:
    """Examines versions and remembers the last result; one at a time writes to a folder.

    examiner = Examiner(variant, folder, stopping, most=1000)
    if examiner.wants(version):
        examiner.examine(version, versions)
    """

    def __init__(self, variant: Variant, folder: RunFolder, stopping: threading.Event, *, most: int) -> None:
        """`most` positions are asked; once `stopping` is set, in whatever thread, an exam is dropped."""
        self.last: Exam | None = None
        self._variant = variant
        self._stopping = stopping
        self._positions = load_solved(variant)[:most] if has_solved(variant) else []
        self._journal = Journal(folder.exams, stopping)
        for line in self._journal.lines():
            self.last = _exam(line) or self.last

    @property
    def simulations(self) -> int:
        """Return how many simulations an exam takes."""
        return len(self._positions) * (SIMULATIONS + _POLICY_ALONE)

    def wants(self, version: int) -> bool:
        """Whether the version is newer than the last one examined."""
        return bool(self._positions) and version > (self.last.version if self.last else NO_VERSION)

    def examine(self, version: int, versions: Versions) -> None:
        """Examine a version; raises Stopped, VersionGone, and what its evaluator raises."""
        with versions.evaluator(version) as evaluator:
            exam = Exam(
                version=version,
                keeps_value=self._share(evaluator, version, SIMULATIONS),
                keeps_value_policy=self._share(evaluator, version, _POLICY_ALONE),
            )
        self._journal.append(asdict(exam))
        self.last = exam

    def close(self) -> None:
        """Write no more."""
        self._journal.close()

    def _share(self, evaluator: Evaluator, version: int, simulations: int) -> float:
        options = SearchOptions(sims=simulations, solver=False, reuse=False)
        player = SearchingPlayer(version_name(version), self._variant, options, evaluator, seed=_SEED)
        with contextlib.closing(player):
            kept = keeps_value(Stoppable(player, self._stopping), self._variant, self._positions)
        return float(kept.mean())


def _exam(line: Line) -> Exam | None:
    """The exam that a line of the journal holds, if it is one."""
    try:
        return Exam(**line)
    except TypeError:
        return None
