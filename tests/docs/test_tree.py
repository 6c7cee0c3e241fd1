"""The tree that CONTRIBUTING.md draws is the one that .ci/structure.py holds the packages to."""

from __future__ import annotations

import re
import runpy

import pytest

from tests.docs.pages import ROOT, text

LAYERS = runpy.run_path(str(ROOT / ".ci" / "structure.py"), run_name="structure")["LAYERS"]
PACKAGES = [house for house in LAYERS if "." not in house]


@pytest.mark.parametrize("package", PACKAGES)
def test_each_row_of_rooms_stands_where_it_belongs(package: str) -> None:
    table = re.search(rf"^\| `{package}`:.*\n\|---\|---\|\n((?:\|.*\n)+)", text(ROOT / "CONTRIBUTING.md"), re.MULTILINE)
    assert table is not None
    rows = [set(re.findall(r"`(\w+)`", row.split("|")[1])) for row in table.group(1).splitlines()]
    assert rows == [set(row) for row in reversed(LAYERS[package])]
