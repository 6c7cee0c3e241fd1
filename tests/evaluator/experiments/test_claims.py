"""The work's figures beside ours, from runs of the works' loop that are over."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.experiments.claims import beside_rows, claim_rows, rung_rows
from evaluator.experiments.laboratory import Findings, Laboratory
from evaluator.experiments.plots import plots
from evaluator.experiments.question import Question, Variation
from gobang.types import Variant
from tests.evaluator.experiments.finished import finish

QUESTION = Question(
    title="Networks",
    variants=(Variation(name="small", settings=()), Variation(name="large", settings=())),
    works=(("small", "350, 1150"), ("large", "200")),
    claims=("large > small", "small > large"),
    iterations=2,
    seeds=3,
    meet=False,
    games=2,
)
FALLEN = {"small": ([], [850], [900]), "large": ([300, 400, 500], [350, 500, 650], [400, 600, 700])}


@pytest.fixture
def findings(tmp_path: Path) -> Findings:
    laboratory = Laboratory(QUESTION, tmp_path, jobs=1)
    for training in laboratory.trainings:
        finish(training, Variant.square(5, k=4))
        won = FALLEN[training.variation.name][training.seed - 1]
        lines = [
            {"iteration": iteration, "playouts": 1000 * number, "points": 8.5, "games": 10, "is_won": True}
            for number, iteration in enumerate(won, 1)
        ]
        lost = {"iteration": 950, "playouts": 9000, "points": 1, "games": 10, "is_won": False}
        text = "".join(f"{json.dumps(line)}\n" for line in (*lines, lost))
        (training.folder.root / "checks.jsonl").write_text(text)
    return laboratory.run()


def test_rungs_have_their_iterations_and_a_trained_rate(findings: Findings) -> None:
    head, _, small, large = rung_rows(QUESTION, findings)
    assert head == "| variant | 1,000 | 2,000 | 3,000 | trained: 2,000 within 800 |"
    assert small == "| small | 875 (850 to 900), 2 of 3 | none | none | 0 of 3 |"
    assert large == (
        "| large | 350 (300 to 400), 3 of 3 | 500 (400 to 600), 3 of 3 | 617 (500 to 700), 3 of 3 | 3 of 3 |"
    )


def test_rungs_are_drawn_as_a_curve_of_each_variant(findings: Findings) -> None:
    ((plot, axis),) = plots(QUESTION, findings)
    small, large = plot.curves
    assert (small.run, large.run, axis) == ("small", "large", "playouts")
    assert small.y.tolist() == [875]
    assert large.x[axis].tolist() == [1000, 2000, 3000]
    assert large.y.tolist() == [350, 500, pytest.approx(616.7, abs=0.1)]


def test_claims_have_a_verdict_by_the_rule(findings: Findings) -> None:
    _, _, first, second = claim_rows(QUESTION, findings)
    assert first.startswith("| large > small | 2.3 (")
    assert first.endswith("| repeats |")
    assert second.endswith("| does not repeat |")


def test_fewer_than_three_seeds_leave_a_claim_open(findings: Findings) -> None:
    two = replace(findings, trainings=tuple(each for each in findings.trainings if each.seed < 3))
    assert all(row.endswith("| open |") for row in [*claim_rows(QUESTION, two)][2:])


def test_the_works_figure_stands_beside_ours(findings: Findings) -> None:
    head, _, small, large = beside_rows(QUESTION, findings)
    assert "rungs beaten" in head
    assert small.startswith("| small | 350, 1150 | 0.7 (")
    assert large.startswith("| large | 200 | 3.0 (3.0 to 3.0) | 3.0, 3.0, 3.0 |")
