"""Pages of experiments state the works' figures, as the files of the experiments do."""

from pathlib import Path

import pytest

from evaluator.experiments.question import load, names

PAGES = Path(__file__).parents[2] / "docs" / "experiments"


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_states_what_its_work_found(page: Path) -> None:
    question, text = load(page.stem), page.read_text(encoding="utf8")
    assert text.startswith(f"# {question.title}\n")
    assert f"Asked by {question.work}." in text
    assert f"**What that work found.** {question.found}\n" in text
    assert "at hand" not in text


def test_each_work_is_cited_by_its_title() -> None:
    titles = (
        "Analysis and Implementation of Deep Reinforcement Learning Based Gobang",
        "A ReImplementation of AlphaGo-Zero on a game of Gomoku",
        "Gomoku Based on AlphaZero and Game Strategy Improvement",
        "Final Report For Gomoku Project",
        "Multiplayer Gobang Based on Reinforcement Learning",
    )
    assert all(load(name).work.startswith(titles) for name in names())
