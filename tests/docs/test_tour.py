"""The walks of docs/tour.md name functions that are there, and open no file twice."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, text

PAGE = ROOT / "docs" / "tour.md"
WALKS = text(PAGE).split("\n## ")[1:]

_STEP = re.compile(r"^\d+\. \[[\w.]+\]\(([\w./]+)\)(?:, ((?:`[\w.]+`(?:, | and )?)+))?", re.MULTILINE)

pytestmark = pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.partition("\n")[0])


def test_the_functions_to_enter_exist(walk: str) -> None:
    for path, names in _STEP.findall(walk):
        source = text(PAGE.parent / path)
        for name in re.findall(r"(\w+)`", names):
            assert re.search(rf"(def|class) {name}\b", source), f"{name} in {path}"


def test_a_walk_opens_no_file_twice(walk: str) -> None:
    paths = [path for path, _ in _STEP.findall(walk)]
    assert len(paths) == len(set(paths)) > 5
