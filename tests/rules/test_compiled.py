"""Bit instructions, and where compiled kernels are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def cache_folder(**environment: str) -> Path:
    """What a fresh process takes as its cache folder."""
    code = "import numba, gobang.rules.compiled; print(numba.config.CACHE_DIR)"
    result = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return Path(result.stdout.strip())


def test_cache_stands_where_it_is_told(tmp_path: Path) -> None:
    assert cache_folder(NUMBA_CACHE_DIR=str(tmp_path)).parent == tmp_path / "gobang"


def test_cache_moves_to_a_private_folder_when_home_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = cache_folder(NUMBA_CACHE_DIR=str(tmp_path / "file"), TMPDIR=str(tmp_path))
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o077 == 0
