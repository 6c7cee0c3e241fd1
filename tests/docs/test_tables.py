"""The tables of players and networks are what the code has."""

from __future__ import annotations

import re

import pytest

from gobang.cli import main
from gobang.network.presets import preset_names as network_names
from gobang.players.table import options_table, players_table
from learner.run.presets import preset_names
from tests.docs.pages import ROOT, text


@pytest.mark.parametrize("table", [players_table(), options_table()], ids=["players", "options"])
def test_the_tables_of_players_are_up_to_date(table: str) -> None:
    assert table in text(ROOT / "docs" / "players.md")


def test_every_named_network_has_a_row() -> None:
    page = text(ROOT / "docs" / "networks.md")
    assert [name for name in network_names() if f"| {name} |" not in page] == []


def test_every_preset_and_option_of_a_run_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\n".join(line for line in text(ROOT / "docs" / "training.md").splitlines() if line.startswith("|"))
    assert [name for name in preset_names() if f"`{name}`" not in rows] == []
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out.split("options:")[1].split("examples:")[0]))
    assert [option for option in options - {"--help"} if f"`{option}" not in rows] == []
