"""Numbers in texts from outside, such as the rows of points, sizes in SGF and options of players.

`int` and `float` take more than a number that somebody means: digits of other scripts, underscores, infinities, and
rows of thousands of digits, which raise ValueError.  The functions here take ASCII digits within limits.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Final, TypeGuard

_LARGEST: Final = sys.float_info.max
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,19}")
_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?")


def read_whole(text: str, least: int = -(10**18), most: int = 10**18) -> int | None:
    """Return the whole number that a text is, or None if it is none from `least` to `most`."""
    if _WHOLE.fullmatch(text) is None:
        return None
    number = int(text)
    return number if least <= number <= most else None


def is_finite(value: object) -> TypeGuard[float]:
    """Return True for a number that a float holds; a whole number of Python may be too large for that."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST


def read_number(text: str) -> float | None:
    """Return the finite number that a text is, or None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None
