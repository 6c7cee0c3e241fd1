"""The command that distils a network into another."""

from __future__ import annotations

from pathlib import Path

import pytest

from gobang.network.checkpoint import load_checkpoint
from gobang.players import parse
from gobang.players.player import Turn
from gobang.players.spec import make_player
from gobang.players.trained import weights_file
from gobang.rules.position import Position
from gobang.types import Variant
from learner.distill import main

SIZE = ["--size", "6", "--k", "4"]
QUICK = [*SIZE, "--positions", "1500", "--minutes", "0.002", "--batch", "32"]


def test_a_pupil_is_taught_then_further_and_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, later = tmp_path / "lines.safetensors", tmp_path / "later.safetensors"
    assert main(["--out", str(out), *QUICK]) == 0
    assert main(["--out", str(later), *QUICK, "--begin-with", str(out)]) == 0
    assert capsys.readouterr().out.count("steps; KL of the policy") == 2
    variant = Variant.square(6, k=4)
    first, second = (load_checkpoint(path, variant=variant).tensors["trunk.shapes.weight"] for path in (out, later))
    assert 0 < abs(first - second).max() < 0.1
    player = make_player(parse(f"net:{later},sims=4"), variant, seed=1)
    assert 0 <= player.choose([Turn(game=0, position=Position(variant))])[0] < variant.points
    player.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--positions", "10"], "--positions 10: 1000 or more"),
        (["--minutes", "0"], "minutes above 0"),
        (["--teacher", "builtin-7x7"], "no trained player is called 'builtin-7x7'"),
        (["--players", "4"], "no network in the box knows"),
        (["--network", "lines_46"], "did you mean lines_64"),
        (["--begin-with", "none"], "No such file"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--out", str(tmp_path / "lines.safetensors"), *QUICK, *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_file_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "lines.safetensors"
    out.write_bytes(b"mine")
    assert main(["--out", str(out), *QUICK]) == 2
    assert "is there already" in capsys.readouterr().err
    assert out.read_bytes() == b"mine"


def test_weights_of_another_network_are_no_beginning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = weights_file("builtin-6x6")
    assert main(["--out", str(tmp_path / "lines.safetensors"), *QUICK, "--begin-with", box]) == 2
    assert "is no beginning: weights do not fit architecture 'line_net'" in capsys.readouterr().err
