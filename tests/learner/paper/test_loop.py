from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gobang.errors import InvalidCheckpoint
from gobang.network.checkpoint import load_checkpoint
from gobang.run_folder import RunFolder, weights_path, weights_versions
from gobang.settings import write_yaml
from learner.paper import loop
from learner.paper.__main__ import main, measured
from learner.paper.config import PaperConfig
from learner.paper.loop import CHECKS, STATE, PaperRun
from learner.training.training_state import load_training_state, save_training_state
from tests.learner.paper.small import SMALL

ITERATIONS = 50  # one check
SECONDS = 120.0


def folder_of(path: Path, config: PaperConfig = SMALL) -> RunFolder:
    folder = RunFolder(path)
    folder.create(write_yaml(config))
    return folder


def trained(path: Path, config: PaperConfig = SMALL) -> RunFolder:
    folder = folder_of(path, config)
    PaperRun(config, folder, lambda line: None).train(ITERATIONS)
    return folder


def metrics(folder: RunFolder) -> list[dict[str, float]]:
    """Return the lines without their times."""
    lines = [json.loads(line) for line in folder.metrics.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "seconds"} for line in lines]


def weights(folder: RunFolder) -> dict[str, bytes]:
    """Return all bytes of the last weights."""
    tensors = load_checkpoint(weights_path(folder, ITERATIONS)).tensors
    return {name: array.tobytes() for name, array in tensors.items()}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return trained(tmp_path_factory.mktemp("whole") / "run")


@pytest.mark.parametrize("lie", [{"iteration": 1}, {"random": {}}, {"newest": {}}, {"trainer": 3}, {"checks": [{}]}])
def test_a_state_of_something_else_is_refused(tmp_path: Path, uninterrupted: RunFolder, lie: dict[str, object]) -> None:
    folder = folder_of(tmp_path / "run")
    whole = {} if "iteration" in lie else load_training_state(uninterrupted.state / STATE)
    save_training_state(folder.state / STATE, {**whole, **lie})
    with pytest.raises(InvalidCheckpoint, match="not the state of such a run"):
        PaperRun(SMALL, folder, lambda line: None)


def test_groups_of_games_are_even_and_end_at_each_check(uninterrupted: RunFolder) -> None:
    games = [0, *(line["games"] for line in metrics(uninterrupted))]
    sizes = np.diff(games).tolist()
    assert sum(sizes) == ITERATIONS
    assert set(sizes) == {2, 3}
    assert weights_versions(uninterrupted) == [0, ITERATIONS]
    (check,) = (uninterrupted.root / CHECKS).read_text().splitlines()
    assert json.loads(check)["iteration"] == ITERATIONS
    assert uninterrupted.read_summary()["state"] == "finished"


def test_a_run_that_broke_off_goes_on_bit_for_bit(
    uninterrupted: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, left = folder_of(tmp_path / "run"), iter(range(7))
    play = loop.play_games

    def broken(*arguments: object) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return play(*arguments)  # type: ignore[arg-type]

    run = PaperRun(SMALL, folder, lambda line: None)
    with monkeypatch.context() as patched:
        patched.setattr(loop, "play_games", broken)
        with pytest.raises(KeyboardInterrupt):
            run.train(ITERATIONS)
    resumed = PaperRun(SMALL, folder, lambda line: None)
    assert 0 < resumed.iteration < ITERATIONS
    resumed.train(ITERATIONS)
    assert metrics(folder) == metrics(uninterrupted)
    assert weights(folder) == weights(uninterrupted)


def test_the_seed_decides_the_weights(uninterrupted: RunFolder, tmp_path: Path) -> None:
    assert weights(uninterrupted) != weights(trained(tmp_path / "other", replace(SMALL, seed=2)))


def test_other_settings_do_not_go_on_with_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--iterations", "1", "--set", "game={height: 3, width: 3, k: 3}", "--set", "simulations=2"]
    command = ["--run", str(tmp_path / "run"), *small, "--set", "network=conv3_shortcut"]
    assert main(command) == 0
    assert main(command) == 0
    assert main([*command, "--set", "noise=0.5"]) == 2
    assert "other settings" in capsys.readouterr().err
    assert load_checkpoint(weights_path(RunFolder(tmp_path / "run"), 0)).variant == SMALL.game


def test_a_full_disk_is_one_line_and_the_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["--run", str(tmp_path / "run"), "--iterations", "1", "--set", "game={height: 3, width: 3, k: 3}"]
    command += ["--set", "simulations=2", "--set", "network=conv3_shortcut"]

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(loop, "save_training_state", full)
        assert main(command) == 2
    said = capsys.readouterr().err
    assert "No space left" in said
    assert "Traceback" not in said
    assert main(command) == 0


def test_what_a_run_takes_is_measured() -> None:
    hours, double = (measured(SMALL, iterations) for iterations in (500, 5000))
    assert hours["seconds"] > 0
    assert double["bytes"] > hours["bytes"] > 1000


@pytest.mark.heavy
def test_a_killed_run_goes_on_bit_for_bit(uninterrupted: RunFolder, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run")
    settings = ("games_at_once=3", "batch=32", "window=500", "simulations=8", "network.options={filters: 4}")
    command = [sys.executable, "-m", "learner.paper", "--run", str(folder.root), "--iterations", str(ITERATIONS)]
    command += ["--set", "game={height: 3, width: 3, k: 3}", "--set", "network=conv3_shortcut"]
    command += [part for setting in settings for part in ("--set", setting)]
    first, deadline = subprocess.Popen(command), time.monotonic() + SECONDS
    while not (folder.state / STATE).exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert not weights_path(folder, ITERATIONS).exists()
    subprocess.run(command, check=True, timeout=SECONDS)
    assert weights(folder) == weights(uninterrupted)
