"""The walks of docs/tour.md name functions that are there, and open few files, none of them twice."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, text

PAGE = ROOT / "docs" / "tour.md"
WALKS = text(PAGE).split("\n## ")[1:]
MOST_FILES = (14, 6, 10, 9, 9, 9)  # in the order of the page

_STEP = re.compile(r"^\d+\. \[[\w.]+\]\(([\w./]+)\)(?:, ((?:`[\w.]+`(?:, | and )?)+))?", re.MULTILINE)
_ASIDE = re.compile(r"\*[^*]+\?\*.*?(?=^\d+\. |^\*|\Z)", re.MULTILINE | re.DOTALL)  # a question with its answer


def title(walk: str) -> str:
    return walk.partition("\n")[0]


@pytest.mark.parametrize("walk", WALKS, ids=title)
def test_the_functions_to_enter_exist(walk: str) -> None:
    for path, names in _STEP.findall(walk):
        source = text(PAGE.parent / path)
        for name in re.findall(r"(\w+)`", names):
            assert re.search(rf"(def|class) {name}\b", source), f"{name} in {path}"


@pytest.mark.parametrize(("walk", "most"), list(zip(WALKS, MOST_FILES, strict=True)), ids=map(title, WALKS))
def test_a_walk_opens_few_files_and_none_twice(walk: str, most: int) -> None:
    opened = re.findall(r"\]\(([\w./]+\.py)\)", _ASIDE.sub("", walk))
    assert len(opened) == len(set(opened)) <= most
