"""The models that an inference server or an actor holds, by name, and their renewal beside the running work.

    holder.want("latest")                # a client asked for it
    holder.renew()                       # every half second, in its own thread
    model = holder.get("latest")         # None until the weights have come

A name is what the WeightsSource knows: "latest", "best" or the number of a version.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gobang.errors import GobangError, InvalidCheckpoint, VersionGone
from gobang.interfaces import Evaluator, WeightsSource
from gobang.types import Evaluations, Positions
from gobang.versions import NO_VERSION

EvaluatorFactory = Callable[[bytes], Evaluator]  # from a checkpoint's bytes, on which the evaluator stays

_LOG: Final = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Model:
    """Weights that are ready to answer."""

    evaluator: Evaluator
    version: int
    submitting: threading.Lock = field(default_factory=threading.Lock)  # one thread submits at a time


@dataclass(slots=True, eq=False)
class _Entry:
    name: str
    clients: int = 0
    model: Model | None = None
    before: Model | None = None  # what this one took the place of, to go back to
    refused: int = NO_VERSION  # put aside; what is to come must be newer
    complaint: str = ""  # why the last attempt failed
    is_hopeless: bool = False  # a version by its number, which does not change and is of no use


class Models:
    """Gets weights by name and keeps them current; any thread may call."""

    def __init__(self, source: WeightsSource, make: EvaluatorFactory, *, most_unused: int) -> None:
        """`most_unused` models stay ready after their last client has left.

        In a run `source` is a LearnerClient of learner.training.remote, and `make` is `make_evaluator` of
        gobang.evaluators.network.
        """
        self._source = source
        self._make = make
        self._most_unused = most_unused
        self._entries: dict[str, _Entry] = {}  # the one that was left last comes last
        self._lock = threading.Lock()

    def want(self, name: str) -> None:
        """Count a client in; the weights are fetched by the next `renew`."""
        with self._lock:
            entry = self._entries.setdefault(name, _Entry(name))
            entry.clients += 1

    def leave(self, name: str) -> None:
        """Count a client out, and drop what has been unused for longest."""
        with self._lock:
            entry = self._entries.pop(name)
            entry.clients -= 1
            self._entries[name] = entry
            unused = [other for other, held in self._entries.items() if not held.clients]
            for other in unused[: max(0, len(unused) - self._most_unused)]:
                del self._entries[other]

    def get(self, name: str) -> Model | None:
        """The model as it is now; None before its first weights, or after its last client has left."""
        with self._lock:
            entry = self._entries.get(name)
            return entry.model if entry else None

    def answer(self, name: str, positions: Positions) -> tuple[int, Evaluations] | None:
        """The answers of the newest weights whose answers are finite, after their version; None if there are none."""
        while (model := self.get(name)) is not None:
            with model.submitting:
                ticket = model.evaluator.submit(positions)
            evaluations = model.evaluator.collect(ticket)
            if evaluations.are_finite:
                return model.version, evaluations
            self.put_aside(name, model)
        return None

    def check(self, name: str) -> None:
        """Raise VersionGone, with the reason, for a version by its number that will never be ready."""
        with self._lock:
            entry = self._entries.get(name)
        if entry and entry.is_hopeless:
            raise VersionGone(f"version {name} cannot be used: {entry.complaint}")

    def complaint(self, name: str) -> str:
        """Why the last attempt to get newer weights failed; empty if it did not."""
        with self._lock:
            entry = self._entries.get(name)
        return entry.complaint if entry else ""

    def put_aside(self, name: str, model: Model) -> None:
        """Withdraw weights whose answers are not finite: those before serve again, if any, else newer ones."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is None or entry.model is not model:
                return  # another thread was faster
            entry.model, entry.before, entry.refused = entry.before, None, model.version
            if name.isdecimal():
                entry.is_hopeless, entry.complaint = True, "its answers are not finite"
        then = "a newer one is waited for"
        if entry.model or entry.is_hopeless:
            then = f"version {entry.model.version} answers again" if entry.model else "who wants it is turned away"
        _LOG.error("model %s: version %d gives answers that are not finite: %s", name, model.version, then)

    def versions(self) -> dict[str, int]:
        """Version by name of all models that are ready."""
        with self._lock:
            return {name: entry.model.version for name, entry in self._entries.items() if entry.model}

    def renew(self) -> bool:
        """Put a new evaluator in the place of each model in use that has newer weights; whether there was one."""
        with self._lock:
            entries = [entry for entry in self._entries.values() if entry.clients and not _is_final(entry)]
        renewed = [self._renew(entry) for entry in entries]
        return any(renewed)

    def _renew(self, entry: _Entry) -> bool:
        """One model; a failure leaves the old weights at work until the next attempt."""
        known = max(entry.refused, entry.model.version if entry.model else NO_VERSION)
        try:
            blob = self._source.weights(entry.name, known)
            evaluator = self._make(blob) if blob is not None else None
        except GobangError as error:
            self._complain(entry, str(error))
            entry.is_hopeless = entry.name.isdecimal() and isinstance(error, InvalidCheckpoint | VersionGone)
            return False
        if evaluator is None:
            return False
        if evaluator.version < known:
            self._complain(entry, f"version {evaluator.version} came after version {known}")
            return False
        with self._lock:
            entry.before = entry.model
            entry.model = Model(evaluator=evaluator, version=evaluator.version)
        entry.complaint = ""
        _LOG.info("model %s: version %d", entry.name, evaluator.version)
        return True

    def _complain(self, entry: _Entry, reason: str) -> None:
        """Log each reason once."""
        if reason != entry.complaint:
            _LOG.warning("model %s is not renewed: %s", entry.name, reason)
        entry.complaint = reason


def _is_final(entry: _Entry) -> bool:
    """Whether nothing can change: with a version by its number there is one attempt that counts."""
    return entry.is_hopeless or (entry.model is not None and entry.name.isdecimal())
