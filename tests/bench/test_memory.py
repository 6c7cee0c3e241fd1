"""The measurement of searches under a limit of memory, in miniature."""

from __future__ import annotations

import argparse

import pytest

from gobang.bench.memory import run, undecided_positions
from gobang.errors import InvalidConfig
from gobang.types import Variant

VARIANT = Variant.square(15)
OPTIONS = {"players": 2, "seconds": 0.2, "positions": 2, "megabytes": 350, "most_megabytes": 1000, "seed": 1}


def test_positions_follow_from_the_seed() -> None:
    found = [[position.moves for position in undecided_positions(VARIANT, 2, seed=seed)] for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert all(len(moves) == 12 for moves in found[0])


@pytest.mark.heavy
def test_tells_how_each_engine_used_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(argparse.Namespace(**OPTIONS), VARIANT)
    assert report["positions"] == 2
    assert report["proven"] < 2
    assert report["least_time"] > 0
    assert report["ratio"] > 0
    assert 100 < report["peak_mb"] < 350
    assert "simulations" in capsys.readouterr().out


def test_positions_need_a_network() -> None:
    with pytest.raises(InvalidConfig, match="no trained network"):
        next(undecided_positions(Variant.square(9, rule="caro"), 1, seed=1))
