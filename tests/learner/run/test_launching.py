"""Starts that fail, and what they leave on the disk."""

import pytest

from gobang.errors import InvalidConfig
from gobang.run_folder import weights_path
from learner.launch import main
from learner.run import launching

LEAD_IN = ("--set", "lead_in.settings=[game.height=4, game.width=4]")


class FailingRun:
    """In place of a real run: writes files as one does, then fails.  A lead-in ends well."""

    has_begun = False
    ended = "finished"
    option = ""

    def __init__(self, config, options, folder, progress):
        self._folder = folder

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def start(self):
        for path in (self._folder.redis / "redis.log", self._folder.address, self._folder.learner_lock):
            path.touch()
        if not self._folder.root.name.endswith("lead-in"):
            raise InvalidConfig("cannot start")
        self.has_begun = True
        weights_path(self._folder, 1).touch()

    def watch(self):
        self._folder.write_summary({"state": "finished", "values": {"seconds": 60.0, "games": 10}})


@pytest.fixture(autouse=True)
def failing_runs(monkeypatch):
    monkeypatch.setattr("learner.run.run.Run", FailingRun)  # which the command asks for


def contents(root):
    return {path: path.is_file() and path.read_bytes() for path in root.rglob("*")}


def start(root, *arguments):
    with pytest.raises(SystemExit, match="2"):
        main(["--run", str(root), *arguments])


@pytest.mark.parametrize(
    "files",
    [
        ("weights/a", "evaluator/__init__.py", "log/b"),
        ("config.yaml", "lock", "address.json", "weights/a"),
        ("config.yaml", "address.json", "weights/a"),
        (".git/HEAD", "README"),
        ("pyproject.toml",),
        ("notes", "photos/a"),
    ],
)
def test_a_start_that_fails_leaves_what_was_there_and_nothing_else(tmp_path, files):
    root = tmp_path / "work"
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("of a year")
    before = contents(tmp_path)
    start(root, "--preset", "tiny")
    start(root, "--resume")
    assert contents(tmp_path) == before


def test_a_start_that_fails_after_its_lead_in_keeps_what_was_learned(tmp_path, capsys):
    root = tmp_path / "r"
    start(root, "--preset", "tiny", *LEAD_IN)
    assert weights_path(launching.RunFolder(root / "r-lead-in"), 1).exists()
    assert "cannot start" in capsys.readouterr().err
    start(root, "--resume")
    assert "cannot start" in capsys.readouterr().err


def test_a_resumed_run_that_cannot_start_keeps_everything(tmp_path):
    folder = launching.RunFolder(tmp_path / "r")
    folder.create("{}\n")
    weights_path(folder, 3).write_text("a day of training")
    folder.matches.write_text("{}\n")
    start(folder.root, "--resume")
    assert weights_path(folder, 3).read_text() == "a day of training"
    assert folder.matches.read_text() == "{}\n"
