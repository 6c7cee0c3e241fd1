import json
import signal
import socket
import subprocess
import sys

import pytest

from gobang.network.checkpoint import load_checkpoint
from gobang.players.runs import find_version
from gobang.run_folder import RunFolder, weights_versions
from gobang.types import Variant
from learner.launch import main
from learner.pull import main as pull
from tests.integration.launched import ROOT


def test_a_run_ends_by_itself_and_is_resumed(tmp_path, launch, capsys):
    run = tmp_path / "run"
    first = launch(run, "--preset", "tiny", "--games", "50")
    assert first.end() == 0, first.output + first.log()
    assert first.leftovers() == []
    summary = first.summary()
    assert summary["state"] == "finished"
    assert summary["values"]["games"] >= 50
    checkpoint = load_checkpoint(run / "weights" / "best.safetensors", variant=Variant.square(5, k=4))
    assert checkpoint.version == summary["values"]["best"]
    assert list((run / "tensorboard").iterdir())
    assert all(json.loads(line)["time"] > 0 for line in (run / "metrics.jsonl").read_text().splitlines())

    assert main(["--run", str(run), "--resume", "--games", "50"]) == 0
    assert "has had its 50 games" in capsys.readouterr().out
    again = launch(run, "--resume", "--games", str(int(summary["values"]["games"]) + 20))
    assert again.end() == 0, again.output + again.log()
    values = again.summary()["values"]
    assert values["games"] >= summary["values"]["games"] + 20
    assert values["version"] > summary["values"]["version"]
    assert values["step"] >= summary["values"]["step"]
    assert values["seconds"] > summary["values"]["seconds"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--preset", "tiny", "--set", "trainer.weight_decya=1"], "did you mean trainer.weight_decay?"),
        (["--preset", "tiny", "--set", "network.options.block=1"], "did you mean network.options.blocks?"),
        (["--preset", "tiny", "--set", "learner.batch=5000"], "tolerance 100: too little for batches of 5000"),
        (["--preset", "tiny", "--set", "inference.backend=tensorrt"], "backend 'tensorrt'"),
        (["--preset", "tiny", "--set", "trainer.device=tpu"], "device 'tpu'"),
        (["--preset", "tiny", "--actors", "0"], "--actors 0: at least 1"),
        (["--preset", "9x9"], "preset '9x9'"),
        (["--resume"], "holds no run to resume"),
        (["--minutes", "-1"], "minutes -1.0: above 0"),
    ],
)
def test_mistakes_are_refused_before_anything_starts(tmp_path, capsys, arguments, message):
    run = tmp_path / "run"
    with pytest.raises(SystemExit, match="2"):
        main(["--run", str(run), *arguments])
    assert message in capsys.readouterr().err
    assert not run.exists()


def test_a_run_that_cannot_be_is_refused_in_one_line(tmp_path, capsys):
    taken, run = tmp_path / "file", tmp_path / "new" / "run"
    taken.touch()
    wrong = {
        ("--run", str(taken)): "file cannot be the folder of a run: File exists",
        ("--run", str(taken / "x")): "x cannot be the folder of a run: Not a directory",
        ("--run", str(run), "--redis", "nonsense"): "no address of a Redis server",
        ("--run", str(run), "--redis", "redis://127.0.0.1:1"): "no Redis server at redis://127.0.0.1:1",
        ("--run", str(run), "--address", "nonsense"): "no Ray cluster at 'nonsense': Invalid address format",
    }
    for arguments, message in wrong.items():
        with pytest.raises(SystemExit, match="2"):
            main(["--preset", "tiny", *arguments])
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.heavy
def test_a_cluster_that_does_not_answer_is_given_up_and_signals_are_heard_meanwhile(tmp_path, launch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        interrupted = launch(tmp_path / "run", "--preset", "tiny", "--address", address)
        while "starting" not in interrupted.output:
            assert interrupted.look()
        assert interrupted.end(signal.SIGTERM) == 0
        assert "does not answer" not in interrupted.output
        given_up = launch(tmp_path / "run", "--preset", "tiny", "--address", address)
        assert given_up.end() == 2
    assert (
        f"python -m learner.launch: error: no Ray cluster at '{address}': it does not answer in time" in given_up.output
    )
    assert not (tmp_path / "run").exists()


def test_signals_to_all_processes_at_once_drain_the_run(tmp_path, launch):
    launched = launch(tmp_path / "run", "--preset", "tiny", "--minutes", "30")
    before = launched.wait_for(lambda values: values["version"] >= 1)
    for process in launched.living():
        process.terminate()
    assert launched.end() == 0, launched.output + launched.log()
    assert launched.leftovers() == []
    summary = launched.summary()
    assert summary["state"] == "stopped"
    assert summary["values"]["version"] > before["version"]  # the checkpoint of the end
    assert [word for word in ("Traceback", "is killed", "lost its process", "gone") if word in launched.output] == []
    assert f"to play against version {find_version(RunFolder(tmp_path / 'run'))}" in launched.output


def test_actors_that_answer_their_own_questions_get_newer_weights(tmp_path, launch):
    quiet = ("--set", "evaluator.share=0.01")
    launched = launch(tmp_path / "run", "--preset", "tiny", "--minutes", "30", "--set", "network=lines_64", *quiet)
    launched.wait_for(lambda values: values.get("played", 0) >= 2, seconds=180)
    assert launched.end(signal.SIGTERM) == 0, launched.output + launched.log()
    assert launched.leftovers() == []


KILLED = ("ray::SelfPlayActor", "ray::InferenceActor", "ray::LearnerActor", "ray::JudgeActor", "redis-server")


@pytest.mark.heavy
@pytest.mark.parametrize("network", ["gobang_2x32", "lines_64"])
def test_the_run_survives_the_death_of_each_part(tmp_path, launch, network):
    launched = launch(tmp_path / "run", "--preset", "tiny", "--minutes", "30", "--set", f"network={network}")
    before = launched.wait_for(lambda values: values["version"] >= 2, seconds=180)
    for name in KILLED:
        launched.part(name).kill()
        before = launched.wait_for(
            lambda values, before=before: (
                values["version"] > before["version"]
                and values["games"] > before["games"]
                and values["restarts"] > before["restarts"]
            ),
        )
    stopped = launched.part("ray::SelfPlayActor")
    stopped.suspend()
    launched.wait_for(lambda _: not stopped.is_running())
    assert "has not answered" in launched.log()
    assert launched.end(signal.SIGTERM) == 0
    assert launched.leftovers() == []
    assert launched.summary()["state"] == "stopped"


@pytest.mark.heavy
def test_a_killed_launcher_leaves_nothing_and_is_resumed(tmp_path, launch):
    run = tmp_path / "run"
    killed = launch(run, "--preset", "tiny", "--minutes", "30")
    before = killed.wait_for(lambda values: values["version"] >= 3, seconds=180)
    killed.end(signal.SIGKILL)
    # Ray's own two agents look for their cluster for up to a minute after its end.
    assert [command for command in killed.leftovers() if "Agent" not in command] == []
    newest = run / "weights" / f"{weights_versions(RunFolder(run))[-1]:08}.safetensors"
    newest.write_bytes(newest.read_bytes()[:1000])
    again = launch(run, "--resume", "--games", str(int(before["games"]) + 200))
    assert again.end() == 0, again.output + again.log()
    assert "cannot be used" in again.log()
    assert again.summary()["values"]["version"] > int(newest.stem)


@pytest.mark.heavy
def test_weights_are_pulled_while_the_run_goes_on(tmp_path, launch):
    run, out = tmp_path / "run", tmp_path / "pulled.safetensors"
    launched = launch(run, "--preset", "tiny", "--minutes", "30")
    launched.wait_for(lambda values: values["version"] >= 1, seconds=180)
    assert pull(["--run", str(run), "--out", str(out)]) == 0
    assert load_checkpoint(out).version >= 1
    address = json.loads((run / "address.json").read_text())["address"]
    command = [sys.executable, "-m", "learner.pull", "--address", address, "--which", "1", "--out", str(out)]
    texts = [subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60) for _ in range(2)]
    assert [text.returncode for text in texts] == [0, 0], texts
    assert texts[1].stdout.strip().endswith("already")
    assert launched.end(signal.SIGINT) == 0
