"""All cases, by number."""

from __future__ import annotations

from typing import Final

from tests.chaos import checkpoints, clocks, frozen, killed, numbers, stream
from tests.chaos.case import Case

CASES: Final[dict[int, Case]] = {
    case.number: case
    for case in sorted(
        (case for module in (killed, checkpoints, frozen, numbers, stream, clocks) for case in module.CASES),
        key=lambda case: case.number,
    )
}
