import errno
import os

import pytest

from evaluator.judging.journal import Journal, JournalFailure


@pytest.fixture
def path(tmp_path):
    return tmp_path / "evaluator" / "games.jsonl"


def contents(path):
    journal = Journal(path)
    lines = list(journal.lines())
    journal.close()
    return lines


def write(path, *lines):
    journal = Journal(path)
    for line in lines:
        journal.append(line)
    journal.sync()
    journal.close()


def test_lines_come_back_in_their_order(path):
    write(path, {"a": 1}, {"b": [2, 3]})
    write(path, {"c": "ä\n"})
    assert contents(path) == [{"a": 1}, {"b": [2, 3]}, {"c": "ä\n"}]


def test_a_line_cut_at_any_byte_is_left_out_and_repaired(path):
    write(path, {"number": 0}, {"number": 1, "moves": [1, 2, 3], "name": "v1 {}"})
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for cut in range(start, len(whole)):
        path.write_bytes(whole[:cut])
        write(path, {"number": 2})
        complete = [1] if cut == len(whole) - 1 else []  # without its newline alone it is all there
        assert [line["number"] for line in contents(path)] == [0, *complete, 2]


@pytest.mark.parametrize("tail", [b"\0" * 9000, b"\xff{", b"17", b'"text"', b"x" * 4096, b"x" * 4095])
def test_what_is_no_line_is_cut_off(path, tail):
    write(path, {"number": 0})
    path.write_bytes(path.read_bytes() + tail)
    assert contents(path) == [{"number": 0}]
    assert path.read_bytes() == b'{"number":0}\n'


def test_garbage_between_lines_is_left_out_and_the_log_says_so(path, caplog):
    write(path, {"number": 0})
    path.write_bytes(path.read_bytes() + b"\x80\x81\n[1]\n" + path.read_bytes())
    assert contents(path) == [{"number": 0}] * 2
    assert "left out 2 lines" in caplog.text


def test_on_a_full_disk_nothing_is_left_of_a_line(path, monkeypatch):
    journal = Journal(path)
    journal.append({"number": 0})
    write_all = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda descriptor, data: write_all(descriptor, data[: len(data) // 2]))
        with pytest.raises(JournalFailure, match="the disk took 6 of 13 bytes"):
            journal.append({"number": 1})
    journal.append({"number": 2})
    assert list(journal.lines()) == [{"number": 0}, {"number": 2}]
    journal.close()


def test_a_refused_write_is_a_journal_failure(path, monkeypatch):
    def refuse(descriptor, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    journal = Journal(path)
    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(JournalFailure, match="No space left"):
        journal.append({"number": 1})
    journal.close()


def test_a_folder_that_cannot_be_made_is_a_journal_failure(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalFailure, match="file"):
        Journal(tmp_path / "file" / "games.jsonl")
