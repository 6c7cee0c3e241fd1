"""The log of a run: one file, to which each process of the run appends lines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from gobang.disk import PatientFile

_PACKAGES: Final = ("gobang", "actors", "learner", "evaluator")  # whose records go there

Thing = TypeVar("Thing")


def log_to(path: Path) -> logging.Handler:
    """Append this process's log to a file, one line per event with its time; several processes may share it."""
    handler = _LogFile(path)
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in _PACKAGES:
        logger = logging.getLogger(name)
        for old in logger.handlers[:]:
            logger.removeHandler(old)
            old.close()
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    return handler


@contextmanager
def logging_to(path: Path) -> Iterator[None]:
    """Log to a file for a while, and leave the loggers of this process as they were."""
    levels = {name: logging.getLogger(name).level for name in _PACKAGES}
    handler = log_to(path)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).setLevel(level)
        handler.close()


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


class _LogFile(logging.Handler):
    """Lines of several processes, each whole; what a full disk does not take comes with a later line."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = PatientFile(path)

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):
            self._file.append(f"{self.format(record)}\n".encode())

    def close(self) -> None:
        with suppress(OSError):
            self._file.flush()
        self._file.close()
        super().close()


class _OneLine(logging.Formatter):
    default_msec_format = "%s.%03d"  # a point where logging has a comma

    def format(self, record: logging.LogRecord) -> str:
        return " | ".join(super().format(record).splitlines())
