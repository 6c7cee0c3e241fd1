"""The README stays short."""

from __future__ import annotations

from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
MOST_WORDS = 1200


def test_a_newcomer_reads_it_in_ten_minutes() -> None:
    assert len(README.read_text(encoding="utf8").split()) <= MOST_WORDS
