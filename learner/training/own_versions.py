"""The versions of a learner in the same process, for the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from gobang.errors import InvalidCheckpoint, VersionGone
from gobang.interfaces import Evaluator
from gobang.versions import NO_VERSION
from learner.training.learner import Learner

_KEPT_EVALUATORS: Final = 3  # of a candidate, the best version and the newest one


class OwnVersions:
    """A `Versions` of gobang.interfaces; for one thread."""

    def __init__(self, learner: Learner, make: Callable[[bytes], Evaluator]) -> None:
        """`make` turns the content of a file of weights into an evaluator."""
        self._learner, self._make = learner, make
        self._evaluator = lru_cache(_KEPT_EVALUATORS)(self._make_evaluator)

    def newest(self) -> int:
        """Return the newest version."""
        return self._learner.version

    @contextmanager
    def evaluator(self, version: int) -> Iterator[Evaluator]:
        """Answer by the weights of a version; raise VersionGone if they are damaged or not kept."""
        try:
            evaluator = self._evaluator(version)
        except (InvalidCheckpoint, OSError) as error:
            raise VersionGone(str(error)) from error
        yield evaluator

    def promote(self, version: int) -> None:
        """Make a version the best."""
        self._learner.promote(version)

    def _make_evaluator(self, version: int) -> Evaluator:
        blob = self._learner.weights(str(version), NO_VERSION)
        assert blob is not None, "no version has the number NO_VERSION"
        return self._make(blob)
