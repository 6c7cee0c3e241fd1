"""How many positions a batch should have: the speed of an evaluator by the size of its batches, and the choice."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final

from gobang.interfaces import Evaluator
from gobang.network.runtimes.calibration import sample_positions
from gobang.types import Variant

SIZES: Final = (16, 32, 64, 128, 256, 512, 1024, 2048)
USUAL: Final = 64  # on CPUs, where larger batches gain nothing
SECONDS: Final = 0.2  # of each measurement
_ENOUGH: Final = 0.95  # of the highest speed: a smaller batch waits less


def rates(
    evaluator: Evaluator, variant: Variant, sizes: Sequence[int] = SIZES, seconds: float = SECONDS
) -> dict[int, float]:
    """Positions per second by the size of batches, one at a time."""
    return {size: _rate(evaluator, variant, size, seconds) for size in sizes}


def best_size(measured: Mapping[int, float]) -> int:
    """The smallest size at which nearly the highest speed is reached."""
    enough = _ENOUGH * max(measured.values())
    return min(size for size, rate in measured.items() if rate >= enough)


def _rate(evaluator: Evaluator, variant: Variant, size: int, seconds: float) -> float:
    positions = sample_positions(variant, size)
    evaluator.collect(evaluator.submit(positions))  # the first is slow: buffers, graphs
    batches, begin = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds:
        evaluator.collect(evaluator.submit(positions))
        batches += 1
    return size * batches / elapsed
