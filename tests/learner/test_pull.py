import hashlib
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from gobang.network.checkpoint import checkpoint_to_bytes, fresh_checkpoint, load_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.run_folder import RunFolder, best_weights, weights_path
from gobang.types import Variant
from learner.pull import main
from learner.training.checkpoints import CheckpointConfig, CheckpointStore
from tests.power_cut import PowerCut, needs_proc

SPEC = NetworkSpec(options={"blocks": 1, "filters": 4, "head_filters": 2, "value_units": 4})


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    """Versions 0 to 3, of which 1 is the best."""
    folder = RunFolder(tmp_path / "run")
    folder.create("")
    store = CheckpointStore(folder, CheckpointConfig())
    for version in range(4):
        checkpoint = replace(fresh_checkpoint(SPEC, Variant.square(5, k=4)), version=version)
        store.save(version, checkpoint_to_bytes(checkpoint), {})
    store.promote(1)
    return folder


@pytest.mark.parametrize(("which", "version"), [("latest", 3), ("best", 1), ("0", 0), ("00", 0), ("2", 2)])
def test_weights_come_once(folder, tmp_path, capsys, which, version):
    out = tmp_path / "out.safetensors"
    command = ["--run", str(folder.root), "--which", which, "--out", str(out)]
    assert main(command) == 0
    assert out.read_bytes() == weights_path(folder, version).read_bytes()
    written = out.stat()
    assert main(command) == 0
    assert out.stat() == written
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"version {version}, ")
    assert second == f"{out} is version {version} already"


def test_a_truncated_newest_is_passed_over(folder, tmp_path):
    path = weights_path(folder, 3)
    path.write_bytes(path.read_bytes()[:50])
    out = tmp_path / "out.safetensors"
    assert main(["--run", str(folder.root), "--out", str(out)]) == 0
    assert out.read_bytes() == weights_path(folder, 2).read_bytes()


@pytest.mark.parametrize("which", ["2", "best"])
def test_damaged_weights_that_were_named_are_refused_and_no_others_are_taken(folder, tmp_path, capsys, which):
    for path in (weights_path(folder, 2), best_weights(folder)):
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    out = tmp_path / "out.safetensors"
    out.write_bytes(b"mine")
    with pytest.raises(SystemExit, match="2"):
        main(["--run", str(folder.root), "--which", which, "--out", str(out)])
    assert "damaged" in capsys.readouterr().err
    assert out.read_bytes() == b"mine"


class FakeLearner:
    """A learner of a cluster that announces the weights of a folder, and may send something else."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.sent, self.asked = folder, None, []
        self.newest = 2
        monkeypatch.setattr("learner.pull.join", lambda address, insecure: self)

    def identify(self, which):
        version = self.newest if which == "latest" else int(which)
        self.newest = 3  # training goes on
        return version, hashlib.sha256(self._blob(str(version))).hexdigest()

    def weights(self, which, known):
        self.asked.append(which)
        return self._blob(which) if self.sent is None else self.sent

    def _blob(self, which):
        return weights_path(self.folder, self.newest if which == "latest" else int(which)).read_bytes()


@pytest.mark.parametrize(("which", "version"), [("latest", 2), ("1", 1)])
def test_a_learner_of_a_cluster_is_asked_for_the_version_that_it_announced(
    folder, tmp_path, monkeypatch, capsys, which, version
):
    learner, out = FakeLearner(folder, monkeypatch), tmp_path / "out.safetensors"
    command = ["--address", "here:1", "--which", which, "--out", str(out)]
    assert main(command) == 0
    assert out.read_bytes() == weights_path(folder, version).read_bytes()
    assert main([*command[:3], str(version), *command[4:]]) == 0
    assert learner.asked == [str(version)]
    assert capsys.readouterr().out.splitlines()[1] == f"{out} is version {version} already"


def test_weights_of_another_version_than_was_announced_are_refused(folder, tmp_path, monkeypatch, capsys):
    learner, out = FakeLearner(folder, monkeypatch), tmp_path / "out.safetensors"
    learner.sent = weights_path(folder, 3).read_bytes()
    with pytest.raises(SystemExit, match="2"):
        main(["--address", "here:1", "--which", "1", "--out", str(out)])
    assert "their SHA-256 is not the one announced" in capsys.readouterr().err
    assert not out.exists()


@needs_proc
def test_what_was_pulled_survives_a_power_cut(folder, tmp_path, monkeypatch):
    disk, out = PowerCut(monkeypatch), tmp_path / "out.safetensors"
    assert main(["--run", str(folder.root), "--out", str(out)]) == 0
    assert disk.survivor(out) == weights_path(folder, 3).read_bytes()


def sealed(folder, change):
    """A file of weights with a right SHA-256, whatever `change` has done to it."""
    checkpoint = load_checkpoint(weights_path(folder, 1))
    return checkpoint_to_bytes(change(checkpoint))


BAD = {
    "nothing": lambda folder: b"",
    "cut off": lambda folder: weights_path(folder, 1).read_bytes()[:-1],
    "one bit flipped": lambda folder: weights_path(folder, 1).read_bytes()[:-1] + b"x",
    "no weights": lambda folder: b"<html>Not found</html>",
    "another safetensors file": lambda folder: safetensors.numpy.save({"a": np.zeros(3)}),
    "tensors are missing": lambda folder: sealed(
        folder,
        lambda found: replace(
            found, tensors={name: each for name, each in found.tensors.items() if not name.endswith("weight")}
        ),
    ),
    "a tensor of another shape": lambda folder: sealed(
        folder, lambda found: replace(found, tensors={name: each[..., None] for name, each in found.tensors.items()})
    ),
    "NaN": lambda folder: sealed(
        folder,
        lambda found: replace(found, tensors={name: np.asarray(each * np.nan) for name, each in found.tensors.items()}),
    ),
}


@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize("bad", BAD)
def test_what_a_cluster_sends_is_looked_at_before_it_replaces_a_file(
    folder, tmp_path, monkeypatch, capsys, bad, is_announced
):
    learner, out = FakeLearner(folder, monkeypatch), tmp_path / "out" / "weights.safetensors"
    learner.sent = BAD[bad](folder)
    if is_announced:  # a false learner tells the right digest of what it sends
        learner.identify = lambda which: (1, hashlib.sha256(learner.sent).hexdigest())
    out.parent.mkdir()
    out.write_bytes(b"mine")
    with pytest.raises(SystemExit, match="2"):
        main(["--address", "here:1", "--which", "1", "--out", str(out)])
    assert capsys.readouterr().err.count("\n") == 1
    assert [(each.name, each.read_bytes()) for each in out.parent.iterdir()] == [(out.name, b"mine")]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (["--run", "nowhere"], "nowhere has no weights 'latest'"),
        (["--address", "127.0.0.1:1"], "no Ray cluster at '127.0.0.1:1'"),
        (["--address", "here"], "no Ray cluster at 'here'"),
        (["--run", "nowhere", "--insecure"], "--insecure: of which cluster?"),
    ],
)
def test_mistakes_are_told(tmp_path, capsys, monkeypatch, place, message):
    monkeypatch.setenv("RAY_AUTH_MODE", "token")  # pull would set it for the whole process
    with pytest.raises(SystemExit, match="2"):
        main([*place, "--out", str(tmp_path / "out")])
    assert message in capsys.readouterr().err


def test_a_version_that_is_gone_is_told(folder, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--run", str(folder.root), "--which", "7", "--out", str(tmp_path / "out")])
    assert "has no weights '7'" in capsys.readouterr().err
