"""JSON from outside: requests, records of games, small files of a run.

`json.loads` takes more than people mean: NaN and infinities, rows of thousands of digits, and lists within lists until
the interpreter's stack is used up, on which `repr` or `json.dumps` would then fail.
"""

from __future__ import annotations

import json
from typing import Final

from gobang.numbers import read_number, read_whole

_DEEPEST: Final = 16  # objects and lists within each other


def parse_json(text: str | bytes) -> object:
    """Return the value of a JSON text; raise ValueError for any other text, long numbers and deep nesting."""
    try:
        value = json.loads(text, parse_int=_whole, parse_float=_number, parse_constant=_number)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    _check_depth(value)
    return value


def _whole(text: str) -> int:
    number = read_whole(text)
    if number is None:
        raise ValueError(f"{text[:40]} has too many digits")
    return number


def _number(text: str) -> float:
    number = read_number(text)
    if number is None:
        raise ValueError(f"{text[:40]} is no number")
    return number


def _check_depth(value: object) -> None:
    """Raise ValueError for a value that is nested too deeply."""
    layer = [value]
    for _ in range(_DEEPEST + 1):
        layer = [inner for each in layer for inner in _inner(each)]
        if not layer:
            return
    raise ValueError("nested too deeply")


def _inner(value: object) -> list[object]:
    """Return the objects and lists within one."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for each in values if isinstance(each, dict | list)]
