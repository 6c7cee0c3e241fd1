"""The log of a run: one file, to which each process of the run appends lines."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

_PACKAGES: Final = ("gobang", "actors", "learner", "evaluator")  # whose records go there

Thing = TypeVar("Thing")


def log_to(path: Path) -> logging.Handler:
    """Append this process's log to a file, one line per event with its time; several processes may share it."""
    handler = logging.FileHandler(path, encoding="utf-8")  # opened for appending: lines of several processes stay whole
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in _PACKAGES:
        logger = logging.getLogger(name)
        for old in logger.handlers[:]:
            logger.removeHandler(old)
            old.close()
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    return handler


@dataclass(frozen=True, kw_only=True, slots=True)
class Logged(Generic[Thing]):
    """A factory whose process logs to the run from then on, where the run's folder is in reach."""

    make: Callable[..., Thing]
    log: Path

    def __call__(self, *arguments: object) -> Thing:
        """The thing that `make` makes."""
        if self.log.parent.is_dir():
            log_to(self.log)
        return self.make(*arguments)


class _OneLine(logging.Formatter):
    default_msec_format = "%s.%03d"  # a point where logging has a comma

    def format(self, record: logging.LogRecord) -> str:
        return " | ".join(super().format(record).splitlines())
