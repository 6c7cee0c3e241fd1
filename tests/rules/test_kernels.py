"""How kernels are put together: parts below entries."""

from __future__ import annotations

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel


@inlined
def scaled(number: int, factor: float) -> float:
    """Goes into `total`."""
    return number * factor


@kernel
def twice(number: int) -> int:
    """Is called by Python and by `total`."""
    return 2 * number


@kernel
def total(small: NDArray[np.int8], large: NDArray[np.int32]) -> float:
    """Hands integers of three types on."""
    return scaled(small[0], 2.0) + scaled(large[0], np.float32(0.5)) + twice(small[0]) + twice(large[0]) + twice(3)


def test_a_part_is_made_once_for_all_numbers() -> None:
    for integer, real in ((types.int8, types.float32), (types.int64, types.float64), (types.literal(3), types.int32)):
        _, _, arguments, _ = scaled.get_call_template((integer, real), {})  # type: ignore[attr-defined]
        assert arguments == (types.int64, types.float64)
    assert len(scaled.signatures) == 1  # type: ignore[attr-defined]


def test_numbers_of_any_type_reach_a_part() -> None:
    assert total(np.array([3], np.int8), np.array([1000], np.int32)) == 6 + 500 + 6 + 2000 + 6


def test_python_calls_the_same_kernel() -> None:
    assert twice(21) == 42


def test_python_cannot_call_a_part() -> None:
    with pytest.raises(TypeError, match="scaled is for kernels alone"):
        scaled(1, 1.0)


def test_an_entry_keeps_nothing_for_linking() -> None:
    twice(1)
    library = next(iter(twice.overloads.values())).library  # type: ignore[attr-defined]
    kept = [each.name for each in library._get_module_for_linking().functions]
    assert [name.startswith("_ZN7cpython") for name in kept] == [True]
