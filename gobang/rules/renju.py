"""Black's forbidden points in renju."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry

ALLOWED: Final = 0
DOUBLE_THREE: Final = 1
DOUBLE_FOUR: Final = 2
OVERLINE: Final = 3
FORBIDDEN_REASONS: Final = {DOUBLE_THREE: "double three", DOUBLE_FOUR: "double four", OVERLINE: "overline"}


@kernel
def forbidden(geometry: Geometry, cells: NDArray[np.int8], point: int) -> int:
    """ALLOWED, or why black may not play the empty point."""
    return ALLOWED
