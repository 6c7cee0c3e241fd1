"""The measurement of one game alone, in miniature."""

from __future__ import annotations

import argparse

import pytest

from gobang.bench.alone import run
from gobang.errors import InvalidConfig
from gobang.types import Variant


def test_compares_several_threads_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(argparse.Namespace(threads=2, sims=20, positions=3), Variant.square(6, k=4))
    assert 0 < report["lowest"] <= report["ratio"] <= report["highest"]
    assert f"ratio         {report['ratio']:.2f}" in capsys.readouterr().out


def test_says_where_no_network_is() -> None:
    with pytest.raises(InvalidConfig, match="no trained network"):
        run(argparse.Namespace(threads=2, sims=20, positions=3), Variant.square(9, rule="caro"))
