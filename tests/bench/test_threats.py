"""The measurement of wins by threats, in miniature."""

from __future__ import annotations

import argparse

import pytest

from gobang.bench.threats import quiet_positions, run
from gobang.rules.geometry import geometry
from gobang.search.threats.tactics import NOTHING, solve, tactics_workspace
from gobang.types import UNDECIDED, Variant

VARIANT = Variant.square(15)


def test_positions_are_open_and_without_fours() -> None:
    table, fours = geometry(VARIANT), tactics_workspace(VARIANT, 20_000)
    count = 0
    for position in quiet_positions(VARIANT, 2, seed=3):
        assert position.outcome == UNDECIDED
        assert solve(table, fours, position.cells, position.to_move, 20_000)[0] == NOTHING
        count += 1
    assert count > 10


def test_shares_are_of_what_was_won(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(argparse.Namespace(games=4, nodes=20_000, seed=1), VARIANT)
    assert 0 < report["won"] < report["positions"]
    assert 0 <= report["share_in_time"] <= 1
    assert "100.0% of the wins" in capsys.readouterr().out  # no win takes more nodes than it may
