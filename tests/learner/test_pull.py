import pytest

from gobang.network.checkpoint import checkpoint_to_bytes, fresh_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.run_folder import RunFolder, weights_path
from gobang.types import Variant
from learner.pull import main
from learner.training.checkpoints import CheckpointConfig, CheckpointStore

SPEC = NetworkSpec(options={"blocks": 1, "filters": 4, "head_filters": 2, "value_units": 4})


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    """Versions 0 to 2, of which 1 is the best."""
    folder = RunFolder(tmp_path / "run")
    folder.create("")
    store = CheckpointStore(folder, CheckpointConfig())
    for version in range(3):
        checkpoint = fresh_checkpoint(SPEC, Variant.square(5, k=4))
        store.save(version, checkpoint_to_bytes(checkpoint), {})
    store.promote(1)
    return folder


@pytest.mark.parametrize(("which", "version"), [("latest", 2), ("best", 1), ("0", 0), ("00", 0)])
def test_weights_come_once(folder, tmp_path, capsys, which, version):
    out = tmp_path / "out.safetensors"
    command = ["--run", str(folder.root), "--which", which, "--out", str(out)]
    assert main(command) == 0
    assert out.read_bytes() == weights_path(folder, version).read_bytes()
    written = out.stat()
    assert main(command) == 0
    assert out.stat() == written
    assert capsys.readouterr().out.splitlines()[1] == f"{out} is version {version} already"


def test_a_truncated_newest_is_passed_over(folder, tmp_path):
    path = weights_path(folder, 2)
    path.write_bytes(path.read_bytes()[:50])
    out = tmp_path / "out.safetensors"
    assert main(["--run", str(folder.root), "--out", str(out)]) == 0
    assert out.read_bytes() == weights_path(folder, 1).read_bytes()


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
