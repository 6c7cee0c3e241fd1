"""An evaluator whose weights lie in the asking process, and are kept current there as a server keeps its own.

For networks that answer faster than a question travels to a server and back, such as a table of line shapes.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable
from typing import Final

from actors.server.models import EvaluatorFactory, Models
from gobang.errors import EvaluatorUnavailable
from gobang.interfaces import WeightsSource
from gobang.types import Evaluations, Positions
from gobang.versions import NO_VERSION

_LOG: Final = logging.getLogger(__name__)
_LOOK_SECONDS: Final = 0.05  # between looks for the first weights


class LocalEvaluator:
    """Asks one model of its own; for one thread.  VersionGone for a version that will never answer."""

    def __init__(
        self,
        make_source: Callable[[], WeightsSource],
        make: EvaluatorFactory,
        *,
        model: str,
        poll_seconds: float | None = 0.5,
        patience: float = 60.0,
    ) -> None:
        """Fetch weights in a thread, which ends with this evaluator; raise an error after `patience` seconds without.

        With None for `poll_seconds` there is no thread: the caller calls `renew`, so that a seed decides which weights
        answer.
        """
        self._models = Models(make_source(), make, most_unused=0)
        self._models.want(model)
        self._model = model
        self._patience = patience
        self._version = NO_VERSION
        if poll_seconds is None:
            return
        threading.Thread(
            target=_renew, args=(self._models, weakref.ref(self), poll_seconds), name=f"model {model}", daemon=True
        ).start()

    def renew(self) -> None:
        """Fetch newer weights now, if there are any."""
        self._models.renew()

    @property
    def version(self) -> int:
        """That of the last answer; before the first one, that of the weights which will give it."""
        deadline = time.monotonic() + self._patience
        while self._version == NO_VERSION:
            if model := self._models.get(self._model):
                self._version = model.version
            else:
                self._wait(deadline)
        return self._version

    def submit(self, positions: Positions) -> Positions:
        """Nothing is under way: the answer is computed when it is collected."""
        return positions

    def collect(self, ticket: Positions) -> Evaluations:
        """Answer a batch; waits for the first weights."""
        deadline = time.monotonic() + self._patience
        while (answered := self._models.answer(self._model, ticket)) is None:
            self._wait(deadline)
        self._version, evaluations = answered
        return evaluations

    def _wait(self, deadline: float) -> None:
        self._models.check(self._model)
        if time.monotonic() > deadline:
            reason = self._models.complaint(self._model) or "none have come"
            raise EvaluatorUnavailable(f"no weights of model {self._model!r} for {self._patience:g} s: {reason}")
        time.sleep(_LOOK_SECONDS)


def _renew(models: Models, owner: weakref.ref[LocalEvaluator], poll_seconds: float) -> None:
    """Look for newer weights until nobody asks them any more."""
    while owner() is not None:
        try:
            models.renew()
        except Exception:
            _LOG.exception("weights are not renewed")
        time.sleep(poll_seconds)
