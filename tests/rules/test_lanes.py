"""Lanes compute what numpy does, at any place of an array."""

import numpy as np
import pytest

from gobang.rules.compiled import kernel
from gobang.rules.lanes import (
    LANES,
    add,
    counted_from,
    counts_at,
    divide,
    exponential,
    four_summed,
    greater,
    greatest_of,
    if_greater,
    lanes_at,
    lined_up,
    multiply,
    put_lanes,
    spread,
    sum_of,
    whole_lanes,
    with_room,
)

RANDOM = np.random.default_rng(5)


def drawn(count: int) -> np.ndarray:
    return RANDOM.normal(size=count).astype(np.float32)


@kernel
def combine(one: np.ndarray, other: np.ndarray, place: int, out: np.ndarray) -> None:
    a, b = lanes_at(one, place), lanes_at(other, 0)
    put_lanes(out, 0, add(a, b))
    put_lanes(out, LANES, multiply(a, b))
    put_lanes(out, 2 * LANES, greater(a, b))
    put_lanes(out, 3 * LANES, spread(one[place]))
    put_lanes(out, 4 * LANES, divide(a, b))
    put_lanes(out, 5 * LANES, if_greater(a, b, spread(one[0]), b))
    put_lanes(out, 6 * LANES, counted_from(place))


@kernel
def reduce(numbers: np.ndarray) -> tuple[float, float]:
    lanes = lanes_at(numbers, 0)
    return sum_of(lanes), greatest_of(lanes)


@kernel
def powers(numbers: np.ndarray) -> None:
    for place in range(0, len(numbers), LANES):
        put_lanes(numbers, place, exponential(lanes_at(numbers, place)))


@kernel
def read_counts(counts: np.ndarray, place: int, out: np.ndarray) -> None:
    put_lanes(out, 0, counts_at(counts, place))


@kernel
def sum_stretches(numbers: np.ndarray, out: np.ndarray) -> None:
    put_lanes(out, 0, four_summed(numbers, 0, 1, 20, 3))


@pytest.mark.parametrize("place", [0, 1, 7, 16])
def test_each_lane_by_itself(place: int) -> None:
    one, other, out = drawn(40), drawn(LANES), np.zeros(7 * LANES, np.float32)
    combine(one, other, place, out)
    part = one[place : place + LANES]
    choice, numbers = np.where(part > other, one[0], other), np.arange(place, place + LANES)
    expected = [part + other, part * other, np.maximum(part, other), np.full(LANES, one[place]), part / other, choice]
    np.testing.assert_array_equal(out.reshape(7, LANES), [*expected, numbers])


def test_all_lanes_together() -> None:
    numbers = drawn(LANES)
    total, greatest = reduce(numbers)
    assert total == pytest.approx(numbers.sum(), rel=1e-5)
    assert greatest == numbers.max()


def test_powers_of_e() -> None:
    exponents = np.concatenate([[0.0, -1e-6, -87.0], -np.geomspace(1e-3, 86, 45)]).astype(np.float32)
    found = exponents.copy()
    powers(found)
    np.testing.assert_allclose(found, np.exp(exponents.astype(np.float64)), rtol=3e-7)


def test_powers_that_are_too_small_are_nothing() -> None:
    found = np.repeat(np.array([-np.inf, -88, -1e30, -1e6], np.float32), LANES)
    powers(found)
    assert not found.any()


def test_stretches_of_int16() -> None:
    numbers = RANDOM.integers(-8000, 8000, 40).astype(np.int16)
    out = np.zeros(LANES, np.float32)
    sum_stretches(numbers, out)
    np.testing.assert_array_equal(out, sum(numbers[start : start + LANES] for start in (0, 1, 20, 3)))


def test_counts() -> None:
    counts, out = np.arange(-3, 30, dtype=np.int32), np.zeros(LANES, np.float32)
    read_counts(counts, 5, out)
    np.testing.assert_array_equal(out, counts[5 : 5 + LANES])


def test_an_array_with_room_is_followed_by_lanes_of_its_own() -> None:
    array = with_room((2, 3, 5), np.float32)
    assert array.shape == (2, 3, 5)
    assert array.flags.c_contiguous
    memory = array.base
    while memory.base is not None:
        memory = memory.base
    assert memory.size >= array.size + LANES


@pytest.mark.parametrize(("count", "filled"), [(1, 16), (16, 16), (17, 32), (225, 240)])
def test_whole_lanes(count: int, filled: int) -> None:
    assert whole_lanes(count) == filled


@pytest.mark.parametrize("shape", [(3,), (5, 7), (2, 3, 16)])
def test_a_copy_that_is_lined_up(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    copy = lined_up(array)
    assert copy.ctypes.data % 64 == 0
    assert copy.flags.c_contiguous
    np.testing.assert_array_equal(copy, array)
    copy[...] = -1
    assert (array >= 0).all()
