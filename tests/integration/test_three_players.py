"""A run of three players: it is judged, promotes, is resumed, and has its report."""

import json
import signal

import pytest

from evaluator.report import games
from evaluator.report.__main__ import main as report
from gobang.run_folder import RunFolder

GAME = ("--preset", "tiny", "--players", "3", "--size", "4", "--k", "3", "--minutes", "30")
SETTINGS = ("evaluator.share=1", "evaluator.gate.opening_plies=2", "evaluator.gate.percent=30")


@pytest.mark.heavy
def test_a_run_of_three_promotes_climbs_and_goes_on(tmp_path, launch, monkeypatch):
    folder = RunFolder(tmp_path / "run")
    first = launch(folder.root, *GAME, *(word for setting in SETTINGS for word in ("--set", setting)))
    before = first.wait_for(lambda values: values["best"] >= 1 and values.get("elo") is not None, seconds=240)
    assert first.end(signal.SIGINT) == 0, first.output + first.log()
    played = [json.loads(line) for line in folder.games.read_text().splitlines()]
    assert {"black", "white", "red"} <= played[0].keys()
    assert {line["red"].partition(":")[0] for line in played} >= {"rollout", "v0"}
    stopped = first.values()
    assert folder.read_best() >= stopped["best"] >= before["best"]

    again = launch(folder.root, "--resume", "--minutes", "60")
    again.wait_for(lambda values: values["best"] > stopped["best"], seconds=240)
    assert again.end(signal.SIGINT) == 0, again.output + again.log()
    assert len(folder.games.read_text().splitlines()) > len(played)

    monkeypatch.setattr(games, "SIMULATIONS", 8)
    assert report(["--run", str(folder.root), "--games", "2"]) == 0
    page = (folder.root / "report.html").read_text()
    assert "(red)" in page
    assert "as all others" in page
