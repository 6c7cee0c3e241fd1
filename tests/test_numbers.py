from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gobang.numbers import read_number, read_whole

WRONG = ("", " 1", "1 ", "1_0", "٣", "²", "0x1", "1\n", "--1", "9" * 19, "9" * 5000)


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_whole_numbers_are_read(number: int) -> None:
    assert read_whole(str(number)) == number
    assert read_whole(str(number), number, number) == number
    assert read_whole(str(number), number + 1) is read_whole(str(number), most=number - 1) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read(number: float) -> None:
    assert read_number(repr(number)) == number


@pytest.mark.parametrize("text", [*WRONG, "1.5", "1e3"])
def test_other_texts_are_no_whole_numbers(text: str) -> None:
    assert read_whole(text) is None


@pytest.mark.parametrize("text", [*(each for each in WRONG if not each.startswith("9" * 19)), ".", "1e", "9" * 41])
def test_other_texts_are_no_numbers(text: str) -> None:
    assert read_number(text) is None


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999", "1" * 40 + "e999"])
def test_no_number_is_infinite(text: str) -> None:
    assert not math.isfinite(float(text))
    assert read_number(text) is None
