"""Shares as whole numbers: each row of a distribution becomes uint16 units that sum to UNITS exactly.

A row is quantised by rounding its running sum, so no unit is lost or made, no share is off by more
than one unit, and quantising the result again changes nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import kernel

UNITS: Final = 65535  # what the units of a row sum to
UNIT: Final = np.float32(1 / UNITS)
NO_FAULT: Final = -1  # in place of a row


@kernel
def quantise_dense(values: NDArray[np.float32], units: NDArray[np.uint16]) -> int:
    """Write to `units` [T, C] each row of `values` [T, C]; a row of zeros stays one.

    Returns NO_FAULT, or the first row that has a negative value; values are finite.
    """
    for row in range(len(values)):
        total = 0.0
        for column in range(values.shape[1]):
            total += np.float64(values[row, column])
            if values[row, column] < 0:
                return row
        scale = UNITS / total if total > 0 else 0.0
        running, given = 0.0, 0
        for column in range(values.shape[1]):
            running += np.float64(values[row, column])
            reached = int(running * scale + 0.5)
            units[row, column] = reached - given
            given = reached
    return NO_FAULT


@kernel
def quantise_sparse(
    start: NDArray[np.int32],
    points: NDArray[np.int16],
    values: NDArray[np.float32],
    counts: NDArray[np.uint16],
    kept_points: NDArray[np.int16],
    units: NDArray[np.uint16],
) -> tuple[int, int]:
    """Quantise T sparse rows of N entries and leave out those that come to no unit.

    Writes how many entries each row keeps to `counts` [T], and these to the first of `kept_points`
    and `units` [N].  Returns how many they are, and NO_FAULT or the first row that has a negative
    value or nothing but zeros; values are finite.
    """
    kept = 0
    for row in range(len(counts)):
        total = 0.0
        for entry in range(start[row], start[row + 1]):
            total += np.float64(values[entry])
            if values[entry] < 0:
                return kept, row
        if total <= 0 and start[row + 1] > start[row]:
            return kept, row
        scale = UNITS / total if total > 0 else 0.0
        before, running, given = kept, 0.0, 0
        for entry in range(start[row], start[row + 1]):
            running += np.float64(values[entry])
            reached = int(running * scale + 0.5)
            if reached > given:
                kept_points[kept] = points[entry]
                units[kept] = reached - given
                kept += 1
            given = reached
        counts[row] = kept - before
    return kept, NO_FAULT
