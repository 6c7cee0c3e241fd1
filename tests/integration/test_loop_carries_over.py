"""A run goes on in one process, then in many, then in one again."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from gobang.run_folder import RunFolder, weights_versions
from learner.launch import main


@pytest.mark.heavy
def test_a_run_goes_from_one_process_to_many_and_back(
    tmp_path: Path, launch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = RunFolder(tmp_path / "run")
    begin = ["--run", str(folder.root), "--in-process"]
    assert main([*begin, "--preset", "tiny", "--games", "60"]) == 0
    first, matches = folder.read_summary()["values"], folder.matches.read_text()
    assert folder.pool.exists()

    many = launch(folder.root, "--resume", "--minutes", "30")
    grown = many.wait_for(
        lambda values: values["games"] > first["games"] + 200 and values["version"] > first["version"] + 2
    )
    assert "went on in one process: the pool in" in many.output
    assert f"starts empty, after {first['games']:,.0f} games" in many.output
    assert many.end(signal.SIGTERM) == 0, many.output + many.log()
    second = folder.read_summary()["values"]
    assert not folder.pool.exists()
    for name in ("games", "positions", "step", "version", "evaluations", "seconds"):
        assert second[name] >= grown[name] > first[name]
    assert second["window"] < second["positions"]
    assert folder.matches.read_text().startswith(matches)

    assert main([*begin, "--resume", "--games", str(int(second["games"]) + 40)]) == 0
    assert (
        f"went on in many processes: the pool starts empty, after {second['games']:,.0f} games"
        in capsys.readouterr().out
    )
    third = folder.read_summary()["values"]
    assert third["games"] >= second["games"] + 40
    assert third["step"] > second["step"]
    assert weights_versions(folder)[-1] == third["version"] > second["version"]

    last = launch(folder.root, "--resume", "--minutes", "30")  # the pool in Redis has been left behind
    last.wait_for(lambda values: values["games"] > third["games"] + 50 and values["step"] > third["step"])
    assert "went on in one process: the pool in" in last.output
    assert last.end(signal.SIGTERM) == 0, last.output + last.log()
    assert last.leftovers() == []
