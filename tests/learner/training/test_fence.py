import contextlib
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


MOST_SECONDS = 60  # of a test that takes one; a fence that never gives up must not hang the tests


@pytest.fixture(autouse=True)
def deadline():
    """Fail a test that hangs in the fence."""

    def end(*_):
        raise TimeoutError(f"the fence takes more than {MOST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(MOST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    return RunFolder(tmp_path)


@pytest.fixture
def other(folder):
    """A process that holds the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", STAY, folder.learner_lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout.readline() == b"held\n"
            yield process
        finally:
            process.kill()


def test_a_learner_that_ends_by_itself_in_time_is_not_killed(folder, other, monkeypatch, caplog):
    waited = []

    def wait_for_its_end(seconds):
        waited.append(seconds)
        other.stdin.close()
        other.wait()

    monkeypatch.setattr(fence.time, "sleep", wait_for_its_end)
    fence.hold(folder.learner_lock)
    assert len(waited) == 1
    assert other.returncode == 0
    assert "ending process" not in caplog.text


def test_a_learner_that_cannot_be_ended_keeps_the_folder(folder, other, monkeypatch):
    monkeypatch.setattr(fence, "PATIENCE", 0.1)
    refused = pytest.raises(RunFolderTaken, match=f"process {other.pid} on ")
    with monkeypatch.context() as patch, refused:
        patch.setattr(os, "kill", lambda process, number: None)
        fence.hold(folder.learner_lock)
    assert other.poll() is None
    assert folder.learner_lock.read_text().startswith(f"{other.pid} ")


def test_the_lock_ends_with_its_process_however_that_ends(folder, other):
    other.send_signal(signal.SIGKILL)
    fence.hold(folder.learner_lock)
    assert folder.learner_lock.read_text().startswith(f"{os.getpid()} ")


def test_a_frozen_learner_of_an_earlier_start_loses(folder, other, monkeypatch, caplog):
    monkeypatch.setattr(fence, "PATIENCE", 0.2)
    other.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(fence, "_POLL_SECONDS", 0.01)
    for _ in range(100):
        with contextlib.suppress(RunFolderTaken):  # a busy machine takes its time to end it
            fence.hold(folder.learner_lock)
            break
    else:
        pytest.fail("the frozen learner keeps the lock")
    assert other.wait(30) == -signal.SIGKILL
    assert f"{folder.root}: ending process {other.pid}, the learner that an earlier start left" in caplog.text


def test_a_learner_elsewhere_keeps_the_folder_and_is_named(folder, other, monkeypatch):
    monkeypatch.setattr(fence, "PATIENCE", 0.1)
    folder.learner_lock.write_text(f"{other.pid} elsewhere\n")
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
    killed = []
    refused = pytest.raises(RunFolderTaken, match=f"{folder.root} is written by .* process {other.pid} on elsewhere")
    with monkeypatch.context() as patch, refused:
        patch.setattr(os, "kill", lambda *arguments: killed.append(arguments))
        factory()
    assert killed == []
    assert list(folder.root.iterdir()) == [folder.learner_lock]


def test_a_learner_elsewhere_is_waited_for_as_long_as_it_may_take_to_end(folder, other, monkeypatch):
    times = [1000.0]
    monkeypatch.setattr(fence.time, "monotonic", lambda: times[-1])
    monkeypatch.setattr(fence.time, "sleep", lambda seconds: times.append(times[-1] + seconds))
    folder.learner_lock.write_text("4711 elsewhere\n")
    with pytest.raises(RunFolderTaken):
        fence.hold(folder.learner_lock)
    assert times[-1] - times[0] == pytest.approx(fence.PATIENCE, abs=0.1)
    assert other.poll() is None


def test_the_lock_can_be_let_go(folder):
    os.close(fence.hold(folder.learner_lock))
    with subprocess.Popen(
        [sys.executable, "-c", STAY, folder.learner_lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        process.kill()
