import json
import os
import subprocess
import sys
import threading

import pytest

from gobang.errors import GobangError, RunFolderTaken, RunFolderUnusable
from gobang.run_folder import RunFolder, new_run_name
from tests.power_cut import PowerCut, needs_proc


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    folder = RunFolder(tmp_path / "8x8-1")
    folder.create("seed: 1\n")
    return folder


def test_a_run_is_not_overwritten(folder):
    with pytest.raises(RunFolderTaken, match="holds a run: go on with --resume"):
        RunFolder(folder.root).create("seed: 2\n")
    assert folder.config.read_text() == "seed: 1\n"


def test_only_a_run_is_resumed(folder, tmp_path):
    folder.redis.rmdir()
    RunFolder(folder.root).reopen("seed: 2\n")
    assert folder.redis.is_dir()
    assert folder.config.read_text() == "seed: 2\n"
    for ask in (RunFolder.check_holds_run, lambda missing: missing.reopen("seed: 2\n")):
        with pytest.raises(GobangError, match=r"8x8-2 holds no run to resume; did you mean 8x8-1\?"):
            ask(RunFolder(tmp_path / "8x8-2"))


def test_a_second_launcher_is_refused_and_told_by_whom(folder):
    refused = pytest.raises(RunFolderTaken, match=f"in use by process {os.getpid()}")
    with folder.locked(), refused, RunFolder(folder.root).locked():
        pass
    with folder.locked():
        pass


def test_a_lock_ends_with_its_process(folder):
    code = f"from gobang.run_folder import *; RunFolder(Path({str(folder.root)!r})).locked().__enter__(); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 9
    with folder.locked():
        pass


def test_what_was_made_for_a_run_that_cannot_start_goes_and_nothing_else(tmp_path):
    new, used = RunFolder(tmp_path / "a" / "b"), RunFolder(tmp_path / "used")
    used.root.mkdir()
    (used.root / "notes").touch()
    for folder in (new, used):
        with folder.locked():
            folder.create("seed: 1\n")
            (folder.redis / "redis.log").touch()
            folder.discard()
    assert [path.name for path in tmp_path.rglob("*")] == ["used", "notes"]


NAMES = ("weights", "evaluator", "redis", "state", "tensorboard", "log", "best.json", "address.json", "mine-lead-in")


def contents(root):
    return {path.relative_to(root): path.is_file() and path.read_bytes() for path in root.rglob("*")}


@pytest.mark.parametrize("name", [*NAMES, "lock", ".git", "pyproject.toml"])
def test_a_folder_with_something_in_the_way_is_refused_and_stays_as_it_was(tmp_path, name):
    root = tmp_path / "mine"
    (root / name).mkdir(parents=True)
    (root / name / "work.txt").write_text("of a year")
    before = contents(tmp_path)
    with pytest.raises(RunFolderUnusable, match=f"{name}.*choose another --run"), RunFolder(root).locked():
        pass
    folder = RunFolder(root)
    if name != "lock":
        with pytest.raises(RunFolderUnusable, match=f"{name}.*choose another --run"):
            folder.create("seed: 1\n")
    folder.discard()
    assert contents(tmp_path) == before


def test_a_folder_within_a_project_is_free_for_a_run(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").touch()
    folder = RunFolder(tmp_path / "runs" / "8x8-1")
    with folder.locked():
        folder.create("seed: 1\n")


@pytest.mark.parametrize("content", ["mine\n", "4711 and more than a lock of a run ever holds\n", "4711\nx"])
def test_a_file_that_is_called_lock_is_not_overwritten(folder, content):
    lock = folder.root / "lock"
    lock.write_text(content)
    with pytest.raises(RunFolderUnusable, match="lock is not the lock of a run"), folder.locked():
        pass
    assert lock.read_text() == content


def test_a_start_that_was_killed_at_once_is_in_nobodys_way(tmp_path):
    code = (
        f"from gobang.run_folder import *; RunFolder(Path({str(tmp_path / 'a')!r})).locked().__enter__(); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 9
    folder = RunFolder(tmp_path / "a")
    with folder.locked():
        folder.create("seed: 1\n")


@pytest.mark.parametrize("name", ["weights", "evaluator/games.jsonl", "log", "state/old", "8x8-1-lead-in"])
def test_a_run_does_not_follow_links_that_lead_out_of_its_folder(folder, tmp_path, name):
    elsewhere, link = tmp_path / "elsewhere", folder.root / name
    elsewhere.mkdir()
    if link.is_dir():
        link.rmdir()
    link.symlink_to(elsewhere)
    with pytest.raises(RunFolderUnusable, match=f"{name} links to a place outside the run"):
        folder.reopen("seed: 2\n")
    assert folder.config.read_text() == "seed: 1\n"
    link.unlink()
    link.symlink_to(folder.root / "redis")
    (folder.root / "notes").symlink_to(elsewhere)
    folder.reopen("seed: 2\n")


@pytest.mark.parametrize("text", ["", "a' .. redis.call('FLUSHALL') .. '", "f" * 31, "f" * 1000])
def test_an_identity_of_a_stranger_is_refused(tmp_path, text):
    folder = RunFolder(tmp_path / "a")
    folder.create("seed: 1\n")
    (folder.redis / "identity").write_text(text)
    with pytest.raises(RunFolderUnusable):
        folder.identity()


@needs_proc
def test_settings_identity_and_summary_survive_a_power_cut(tmp_path, monkeypatch):
    disk, folder = PowerCut(monkeypatch), RunFolder(tmp_path / "runs" / "a")
    folder.create("seed: 1\n")
    for place in (tmp_path / "runs", folder.root, folder.weights, folder.state, folder.evaluator, folder.redis):
        assert disk.survivor(place) is not None
    identity = folder.identity()
    folder.write_summary({"games": 3})
    assert disk.survivor(folder.config) == b"seed: 1\n"
    assert disk.survivor(folder.redis / "identity") == f"{identity}\n".encode()
    assert json.loads(disk.survivor(folder.summary)) == {"games": 3}


def test_a_place_that_cannot_be_a_folder_is_refused_with_the_reason(tmp_path):
    (tmp_path / "file").touch()
    for root in (tmp_path / "file", tmp_path / "file" / "x"):
        with (
            pytest.raises(RunFolderUnusable, match=f"{root} cannot be the folder of a run: "),
            RunFolder(root).locked(),
        ):
            pass


def test_names_count_up(tmp_path):
    runs = tmp_path / "runs"
    assert new_run_name(runs, "8x8").name == "8x8-1"
    for name in ("8x8-1", "8x8-9", "8x8-x", "18x8-20"):
        (runs / name).mkdir(parents=True)
    assert new_run_name(runs, "8x8").name == "8x8-10"
    assert new_run_name(runs, "conf/mine.yaml").name == "mine-1"


def test_summary_and_address_survive(folder):
    assert RunFolder(folder.root).read_summary() == {}
    folder.write_summary({"games": 3})
    folder.write_address({"ray": "10.0.0.7:6379"})
    assert RunFolder(folder.root).read_summary() == {"games": 3}
    assert json.loads(folder.address.read_text()) == {"ray": "10.0.0.7:6379"}
    folder.summary.write_text("{")
    assert folder.read_summary() == {}


def test_a_run_whose_launcher_was_killed_is_not_said_to_run(folder):
    code = "from gobang.run_folder import *; import time\n"
    code += f"with RunFolder(Path({str(folder.root)!r})).locked(): print('in', flush=True); time.sleep(600)"
    launcher = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert launcher.stdout.readline() == b"in\n"
    folder.write_summary({"state": "running"})
    assert folder.read_summary()["state"] == "running"
    launcher.kill()
    launcher.communicate()
    assert folder.read_summary()["state"] == "killed"
    folder.write_summary({"state": "finished"})
    assert folder.read_summary()["state"] == "finished"


def test_a_look_at_a_pipe_in_place_of_the_lock_ends(folder):
    code = "import sys; from gobang.run_folder import *; print(RunFolder(Path(sys.argv[1])).read_summary()['state'])"
    folder.write_summary({"state": "running"})
    (folder.root / "lock").unlink(missing_ok=True)
    os.mkfifo(folder.root / "lock")
    command = [sys.executable, "-c", code, folder.root]
    assert subprocess.run(command, stdout=subprocess.PIPE, timeout=60, check=True).stdout == b"killed\n"


def test_a_look_at_the_lock_does_not_turn_a_launcher_away(folder):
    def look():
        for _ in range(5000):
            folder.read_summary()

    folder.write_summary({"state": "running"})
    looking = threading.Thread(target=look)
    looking.start()
    while looking.is_alive():
        with RunFolder(folder.root).locked():
            pass
    looking.join()


def test_what_a_killed_launcher_said_of_its_processes_goes_with_the_next_start_alone(folder):
    half = folder.root / ".summary.json.0123456789abcdef.unfinished"
    with folder.locked():
        for path in (folder.address, folder.parts, folder.summary, half):
            path.write_text("{}")
        with pytest.raises(RunFolderTaken), RunFolder(folder.root).locked():
            pass
        assert folder.address.exists()
        assert half.exists()
    with folder.locked():
        folder.reopen("")
        assert not any(path.exists() for path in (folder.address, folder.parts, half))
        assert folder.summary.exists()


def test_a_start_on_a_full_disk_is_refused_with_the_reason(small_disk):
    folder = RunFolder(small_disk.place)
    folder.create("")
    small_disk.fill()
    with pytest.raises(RunFolderUnusable, match="No space left on device"), folder.locked():
        pass
    small_disk.free()
    with folder.locked():
        pass
