"""What the commands have in common: exit codes, and how a board's size is written."""

from __future__ import annotations

import argparse
from typing import Final

EXIT_FAILED: Final = 1
EXIT_INVALID: Final = 2  # a mistake in what was asked
EXIT_INTERRUPTED: Final = 130


def board_size(text: str) -> tuple[int, int]:
    """Height and width from "8" or "6x5"."""
    height, cross, width = text.partition("x")
    if not (height.isdecimal() and (width.isdecimal() if cross else True)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 8 or 6x5")
    return int(height), int(width or height)
