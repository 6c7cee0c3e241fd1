"""Bit instructions, and arrays on the stack."""

from __future__ import annotations

import numpy as np
import pytest
from numba import types

from gobang.rules.compiled import count_bits, kernel, lowest_bit, stack_array


@kernel
def both_of(word: np.uint32) -> tuple[int, int]:
    """Lowest bit and number of bits."""
    return lowest_bit(word), count_bits(word)


@pytest.mark.parametrize("word", [1, 0b1011000, 0x80000000, 0xFFFFFFFF])
def test_bits(word: int) -> None:
    assert both_of(np.uint32(word)) == ((word & -word).bit_length() - 1, bin(word).count("1"))


table = stack_array(types.int16, (40, 3))


@kernel
def fill(value: int) -> int:
    """Write to each item of a table of its own."""
    items = table()
    for row in range(40):
        for column in range(3):
            items[row, column] = value
    return int(items.sum())


@kernel
def keeps_its_items(value: int) -> bool:
    """Whether a table still holds what was written after another kernel has filled its own."""
    items = table()
    for row in range(40):
        for column in range(3):
            items[row, column] = 3 * row + column
    return bool(fill(value) == 120 * value and items.sum() == 119 * 60 and items[39, 2] == 119)


def test_each_kernel_has_its_own_array_on_the_stack() -> None:
    assert keeps_its_items(-7)
