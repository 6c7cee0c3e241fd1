from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gobang.json_text import parse_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_values_come_back(value: Mapping[str, object] | Sequence[object]) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "nonsense", "{", "NaN", "[Infinity]", "-Infinity", "1e999", "9" * 19, "9" * 5000),
        *("[" * depth + "]" * depth for depth in (20, 500, 900, 100_000)),
        '{"a":' * 20 + "1" + "}" * 20,
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)
