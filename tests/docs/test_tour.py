"""The walks of docs/tour.md name functions that exist, and open few files, none of them twice."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

from learner import loop
from learner.run.config import read_config
from learner.run.presets import load_preset
from learner.watching.budget import Budget
from tests.docs.pages import ROOT, text

PAGE = ROOT / "docs" / "tour.md"
WALKS = text(PAGE).split("\n## ")[1:]
MOST_FILES = (6, 14, 6, 10, 9, 9, 9)  # in the order of the page

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


def test_the_breakpoints_stop_in_the_order_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [(path.removeprefix("../"), names.strip("`")) for path, names in _STEP.findall(WALKS[0])]
    stops: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        found = [stop for stop in expected if code.co_name == stop[1] and code.co_filename.endswith(f"/{stop[0]}")]
        stops.extend(stop for stop in found if event == "call" and stop not in stops)

    monkeypatch.setattr(loop, "compile_kernels", lambda config: None)  # plays a game of its own
    config = read_config({**load_preset("tiny"), "learner": {"batch": 16, "checkpoints": {"every_steps": 2}}})
    judging = replace(config.evaluator, drills=False, solved_positions=0)
    sys.setprofile(note)
    try:
        loop.train(replace(config, evaluator=judging), tmp_path / "run", Budget(steps=3))
    finally:
        sys.setprofile(None)
    assert len(expected) == 5
    assert stops == expected
