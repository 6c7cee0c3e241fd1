"""Each experiment of the package in miniature: all that comes after its trainings, in seconds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.experiments.laboratory import Laboratory
from evaluator.experiments.page import write_page
from evaluator.experiments.question import Depths, Question, load, names, sides
from evaluator.experiments.tables import NOT_REACHED
from gobang.types import Variant
from learner.critic import main as teach
from tests.evaluator.experiments.finished import SECONDS, STEPS, finish

_LESSONS = 1  # game


def small(question: Question) -> Question:
    """The same with little of everything."""
    three = "game.players=3" in question.settings
    variants = question.variants[:2]
    named = {variation.name for variation in variants}
    return replace(
        question,
        variants=variants,
        works=tuple((name, figure) for name, figure in question.works if name in named),
        claims=tuple(claim for claim in question.claims if named.issuperset(sides(claim))),
        iterations=min(question.iterations, 2),
        minutes=SECONDS / 60,
        seeds=1,
        play="sims=2,solver=off",
        players=tuple(re.sub(r"=\d{2,}", "=3", player) for player in question.players[:3]),
        against=question.against[:2],
        versions=min(question.versions, 2),
        steps=(() if not question.steps else (2, 300) if question.iterations else (STEPS, 100 * STEPS)),
        drills=min(question.drills, 1),
        first_moves=question.first_moves and "sims=1",
        lessons=_LESSONS,
        game=Variant.square(8) if question.courses else question.game,
        depths=Depths(depth=2, minimax=2, plies=(4,), nodes=100) if question.depths.depth else Depths(),
        games=6 if three else 2,
    )


def prepared(question: Question, folder: Path) -> Laboratory:
    """A laboratory whose trainings are over."""
    laboratory = Laboratory(question, folder, jobs=1)
    three = "game.players=3" in question.settings
    own = Variant.square(5, k=4, players=3) if three else Variant.square(5, k=4)
    for training in laboratory.trainings:
        finish(training, question.game if question.players else own)
    for course in laboratory.courses:
        taught = ["--out", str(course.file), "--size", "8", "--games", str(_LESSONS), "--every", "1"]
        assert teach([*taught, *course.variation.settings]) == 0
    return laboratory


@pytest.mark.parametrize("name", names())
def test_in_miniature(name: str, tmp_path: Path) -> None:
    question = small(load(name))
    page = write_page(name, question, prepared(question, tmp_path).run(), tmp_path).read_text()
    assert f"run {name}" in page
    assert question.found.split()[0] in page
    pictures = re.findall(r"!\[.*?]\((.*?)\)", page)
    assert pictures
    assert all((tmp_path / picture).read_text().rstrip().endswith("</svg>") for picture in pictures)
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) > 2 or "Elo by the model" in page
    assert (NOT_REACHED in page) == bool(question.steps)
    assert "nan" not in page


def test_what_is_written_by_hand_stays(tmp_path: Path) -> None:
    question = replace(small(load("c_puct")), meet=False, against=("random",))
    findings = prepared(question, tmp_path).run()
    page = write_page("c_puct", question, findings, tmp_path)
    page.write_text(page.read_text().replace("Nobody has looked at this yet.", "It differs in\nall that counts."))
    assert "\nIt differs in\nall that counts.\n" in write_page("c_puct", question, findings, tmp_path).read_text()


def test_the_page_of_a_file_has_the_command_that_was_typed(tmp_path: Path) -> None:
    question = replace(small(load("c_puct")), meet=False, against=("random",))
    page = write_page("of/mine.yaml", question, prepared(question, tmp_path).run(), tmp_path)
    assert page == tmp_path / "mine.md"
    assert "python -m evaluator.experiments run of/mine.yaml --" in page.read_text()
