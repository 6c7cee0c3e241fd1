"""What the README says of players is what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gobang.network.presets import preset_names
from gobang.players.table import options_table, players_table

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.parametrize("table", [players_table(), options_table()], ids=["players", "options"])
def test_the_tables_of_players_are_up_to_date(table: str) -> None:
    assert table in README.read_text(encoding="utf8")


def test_every_named_network_has_a_row() -> None:
    text = README.read_text(encoding="utf8")
    assert [name for name in preset_names() if f"| {name} |" not in text] == []
