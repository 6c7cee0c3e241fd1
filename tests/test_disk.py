import errno
import os
import resource
import threading

import pytest

from gobang.disk import Outage, PatientFile, append_whole
from tests.small_disk import SmallDisk


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


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
