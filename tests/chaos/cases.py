"""All cases, by number."""

from __future__ import annotations

from typing import Final

from tests.chaos import (
    checkpoints,
    clocks,
    frozen,
    hostile,
    killed,
    machine,
    neighbours,
    network,
    numbers,
    strangers,
    stream,
)
from tests.chaos.case import Case

_BY_SUBJECT: Final = (
    *(killed.CASES, frozen.CASES, checkpoints.CASES, numbers.CASES, stream.CASES, clocks.CASES),
    *(network.CASES, machine.CASES, strangers.CASES, hostile.CASES, neighbours.CASES),
)
CASES: Final[dict[int, Case]] = {
    case.number: case
    for case in sorted((case for cases in _BY_SUBJECT for case in cases), key=lambda case: case.number)
}
