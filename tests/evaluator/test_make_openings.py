import pytest

from evaluator.balance.opinion import DepthJudgement
from evaluator.openings import main
from gobang.openings import read_openings
from gobang.types import Variant


def test_the_file_says_how_it_was_made_and_can_be_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("evaluator.openings.judgement_for", DepthJudgement)
    path = tmp_path / "openings.txt"
    assert main(["--out", str(path), "--size", "7", "--rule", "standard", "--count", "3", "--seed", "4"]) == 0
    assert "gobang openings --size 7x7 --k 5 --rule standard --count 3 --seed 4" in path.read_text()
    assert len(read_openings(Variant.square(7, rule="standard"), path)) == 3
    assert "3 openings" in capsys.readouterr().out


def test_wrong_arguments_are_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--out", str(tmp_path / "x"), "--count", "0"])
    assert "--count 0" in capsys.readouterr().err
