"""The examples of docs/library.md run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "library.md"


def run_examples() -> dict[str, Any]:
    """The names that all examples of the page together have defined."""
    names: dict[str, Any] = {"__name__": "library"}
    text = PAGE.read_text(encoding="utf8")
    for match in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        lines_before = text.count("\n", 0, match.start(1))
        exec(compile("\n" * lines_before + match.group(1), PAGE, "exec"), names)  # so that errors name the line
    return names


def test_the_examples_do_what_the_page_says() -> None:
    names = run_examples()
    assert names["result"].visits.sum(axis=1).tolist() == [200, 200]
    assert names["evaluations"].priors.shape == (1, 64)
    assert len(names["games"]) == 10
    assert names["pool"].counters().games >= 50
    assert len(names["samples"]) == 64
    assert np.isclose(names["answers"].priors.sum(), 1, atol=0.01)
