"""The measurement of one game alone, in miniature."""

from __future__ import annotations

import argparse

import pytest

from gobang.bench.alone import run
from gobang.errors import InvalidConfig
from gobang.types import Variant


@pytest.mark.parametrize("weights", [None, "builtin-15x15-lines"])
def test_compares_several_threads_with_one(weights: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    variant = Variant.square(15) if weights else Variant.square(6, k=4)
    report = run(argparse.Namespace(threads=2, sims=20, positions=3, weights=weights), variant)
    assert 0 < report["lowest"] <= report["ratio"] <= report["highest"]
    assert f"ratio         {report['ratio']:.2f}" in capsys.readouterr().out


def test_says_where_no_network_is() -> None:
    with pytest.raises(InvalidConfig, match="no trained network"):
        run(argparse.Namespace(threads=2, sims=20, positions=3, weights=None), Variant.square(9, rule="caro"))
