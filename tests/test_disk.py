import errno
import os
import resource
import subprocess
import sys
import threading

import pytest

from gobang.disk import Outage, PatientFile, append_whole, make_folders, remove_unfinished, write_atomically
from tests.power_cut import PowerCut, needs_proc
from tests.small_disk import SmallDisk


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@needs_proc
def test_a_power_cut_leaves_the_old_content_or_the_new_one(tmp_path, monkeypatch):
    path, disk, seen = tmp_path / "summary.json", PowerCut(monkeypatch), []
    disk.before_rename = lambda source, target: seen.append((disk.synced(source), disk.survivor(target)))
    for content in (b"old", b"new"):
        write_atomically(path, content)
        assert disk.survivor(path) == content
    assert seen == [(b"old", None), (b"new", b"old")]


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "summary.json"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert [(each, each.read_bytes()) for each in tmp_path.iterdir()] == [(path, b"old")]


def test_files_are_as_private_as_the_umask_and_the_caller_want(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", b"")
        write_atomically(tmp_path / "b", b"", mode=0o600)
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "ab"] == [0o640, 0o600]


def test_a_killed_write_leaves_one_file_and_nothing_else_goes_with_it(tmp_path):
    code = "import os; from pathlib import Path; from gobang.disk import write_atomically\n"
    code += "Path.replace = lambda *_: os._exit(9); write_atomically(Path('a'), b'half')"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60).returncode == 9
    assert len(list(tmp_path.iterdir())) == 1
    others = {".gitignore", ".nfs0001", ".a.0123.unfinished", "a.unfinished"}
    for name in others:
        (tmp_path / name).touch()
    remove_unfinished(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == others


@needs_proc
def test_new_folders_survive_a_power_cut_and_are_told_apart_from_old_ones(tmp_path, monkeypatch):
    disk, (old, new) = PowerCut(monkeypatch), (tmp_path / "old", tmp_path / "old" / "a" / "b")
    old.mkdir()
    assert make_folders(new) == [old / "a", new]
    assert make_folders(new) == []
    assert disk.survivor(old / "a") is not None
    assert disk.survivor(new) is not None
    (old / "file").touch()
    with pytest.raises(OSError, match="file"):
        make_folders(old / "file")


def test_one_line_tells_of_an_outage_and_one_of_its_end():
    said = []
    outage = Outage("the summary", said.append)
    assert [outage.attempt(write) for write in (list, full, full, list, list)] == [True, False, False, True, True]
    assert said == [
        "the summary cannot be written, which is tried again until it works: [Errno 28] No space left on device",
        "the summary can be written again",
    ]


def test_a_reader_that_went_away_is_no_outage():
    def hang_up():
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        Outage("the output", print).attempt(hang_up)


def test_it_waits_until_there_is_room_or_it_is_to_stop(monkeypatch):
    monkeypatch.setattr("gobang.disk.LOOK_SECONDS", 0.001)
    outage, attempts = Outage("the journal", print), iter((full, full, list))
    assert outage.wait(lambda: next(attempts)(), threading.Event())
    stopping = threading.Event()
    stopping.set()
    assert not outage.wait(full, stopping)


def test_pieces_are_whole_in_their_order_and_none_is_lost(small_disk: SmallDisk):
    file = PatientFile(small_disk.place / "log")
    pieces = [f"{number} {'x' * 1500}\n".encode() for number in range(9)]
    file.append(pieces[0])
    small_disk.fill()
    refused = 0
    for piece in pieces[1:8]:
        try:
            file.append(piece)
        except OSError:
            refused += 1
    content = (small_disk.place / "log").read_bytes()
    assert refused
    assert content == b"".join(pieces)[: len(content)]
    assert content.endswith(b"\n")
    small_disk.free()
    file.append(pieces[8])
    assert (small_disk.place / "log").read_bytes() == b"".join(pieces)


def test_beyond_a_number_the_later_pieces_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("gobang.disk.MOST_WAITING", 2)
    file = PatientFile(tmp_path / "late" / "log")
    for piece in (b"a", b"b", b"c"):
        with pytest.raises(FileNotFoundError):
            file.append(piece)
    (tmp_path / "late").mkdir()
    file.flush()
    file.close()
    assert (tmp_path / "late" / "log").read_bytes() == b"ab"


def test_what_a_file_takes_in_part_is_taken_back(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    descriptor = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    append_whole(descriptor, b"first\n")
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match="it took 4 of 7 bytes"):
            append_whole(descriptor, b"second\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        os.close(descriptor)
    assert (tmp_path / "file").read_bytes() == b"first\n"
