"""A case: one fault, what is done to a run, and what has to hold afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from tests.chaos.stage import Stage

PATIENCE: Final = float(os.environ.get("PATIENCE", "1"))  # by which all times are longer on a busy machine
GOES_ON_SECONDS: Final = 30.0 * PATIENCE  # until a run makes progress again
SERVER_SECONDS: Final = 10.0 * PATIENCE  # the same, of an inference server
SILENT_SECONDS: Final = 60.0 * PATIENCE  # the same, where a network falls silent
_LOOK_SECONDS: Final = 0.05

Found = TypeVar("Found")


class RoundFailed(AssertionError):
    """Something did not hold; the message says what."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One kind of fault, e.g. `Case(number=1, name="actor killed", passes="...", strike=kill_actor)`.

    `strike` does it once to the run on the stage, waits until all is well again and returns the seconds that took.
    It raises RoundFailed.  Games lost or stored twice are found by whoever calls it.
    """

    number: int
    name: str
    passes: str  # what has to hold, besides: no acknowledged game lost, none twice, no version backwards
    strike: Callable[[Stage, int], float]  # the second is the number of the round, from 1
    release: int = 20  # rounds that a release is worth
    needs_root: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """What came of a case once, e.g. `Round(case=1, number=3, seconds=4.2, acknowledged=812, lost=0, twice=0, ...)`."""

    case: int
    number: int
    seconds: float | None  # until it went on; None if it did not
    acknowledged: int  # games
    lost: int
    twice: int
    faults: tuple[str, ...]  # what did not hold; empty in a round that passed
    patience: float  # by which its deadlines were longer
    date: str
    machine: str

    @property
    def has_passed(self) -> bool:
        """Whether nothing was lost and all held."""
        return not (self.lost or self.twice or self.faults)


def until(condition: Callable[[], Found], seconds: float, what: str) -> Found:
    """What the condition gives as soon as that is true; RoundFailed if the time has passed before."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise RoundFailed(f"not within {seconds:.0f} s: {what}")
        time.sleep(_LOOK_SECONDS)  # other processes are waited for


def hold(condition: object, what: str) -> None:
    """RoundFailed unless the condition is true."""
    if not condition:
        raise RoundFailed(what)
