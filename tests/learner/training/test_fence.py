import os
import signal
import subprocess
import sys

import pytest

from gobang.errors import RunFolderTaken
from gobang.run_folder import RunFolder
from gobang.types import Variant
from learner.training import fence
from learner.training.learner import LearnerConfig
from learner.training.remote import LearnerFactory

HOLD = "import sys; from pathlib import Path; from learner.training.fence import hold; hold(Path(sys.argv[1]))"
STAY = f"{HOLD}; print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    return RunFolder(tmp_path)


@pytest.fixture
def other(folder):
    """A process that holds the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", STAY, folder.learner_lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_the_lock_ends_with_its_process_however_that_ends(folder, other):
    other.send_signal(signal.SIGKILL)
    fence.hold(folder.learner_lock)
    assert folder.learner_lock.read_text().startswith(f"{os.getpid()} ")


def test_a_frozen_learner_of_an_earlier_start_loses(folder, other, monkeypatch, caplog):
    monkeypatch.setattr(fence, "PATIENCE", 0.2)
    other.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(fence, "_POLL_SECONDS", 0.01)
    while True:
        try:
            fence.hold(folder.learner_lock)
            break
        except RunFolderTaken:  # a busy machine takes its time to end it
            pass
    assert other.wait(30) == -signal.SIGKILL
    assert f"{folder.root}: ending process {other.pid}, the learner that an earlier start left" in caplog.text


def test_a_learner_elsewhere_keeps_the_folder_and_is_named(folder, other, monkeypatch):
    monkeypatch.setattr(fence, "PATIENCE", 0.1)
    folder.learner_lock.write_text("4711 elsewhere\n")
    factory = LearnerFactory(
        root=folder.root,
        variant=Variant.square(5, k=4),
        network=None,
        trainer=None,
        learner=LearnerConfig(),
        replay=None,
        make_pool=None,
        seed=1,
    )
    with pytest.raises(RunFolderTaken, match=f"{folder.root} is written by .* process 4711 on elsewhere"):
        factory()
    assert other.poll() is None
    assert list(folder.root.iterdir()) == [folder.learner_lock]


def test_the_lock_can_be_let_go(folder):
    os.close(fence.hold(folder.learner_lock))
    with subprocess.Popen(
        [sys.executable, "-c", STAY, folder.learner_lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        process.kill()
