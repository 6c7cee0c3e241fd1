import threading

import pytest

from evaluator.judging.journal import Journal, JournalFailure, read_lines, read_lines_after
from tests.power_cut import PowerCut, needs_proc


@pytest.fixture
def path(tmp_path):
    return tmp_path / "evaluator" / "games.jsonl"


def contents(path):
    journal = Journal(path, threading.Event())
    lines = list(journal.lines())
    journal.close()
    return lines


def write(path, *lines):
    journal = Journal(path, threading.Event())
    for line in lines:
        journal.append(line)
    journal.sync()
    journal.close()


def test_lines_come_back_in_their_order(path):
    write(path, {"a": 1}, {"b": [2, 3]})
    write(path, {"c": "ä\n"})
    assert contents(path) == [{"a": 1}, {"b": [2, 3]}, {"c": "ä\n"}]


@needs_proc
def test_lines_survive_a_power_cut_once_they_are_synced(path, monkeypatch):
    disk = PowerCut(monkeypatch)
    journal = Journal(path, threading.Event())
    assert (disk.survivor(path.parent), disk.survivor(path)) == (b"", b"")
    journal.append({"number": 0})
    journal.sync()
    journal.append({"number": 1})
    assert disk.survivor(path) == b'{"number":0}\n'
    journal.close()


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


def test_a_line_that_is_nested_without_end_is_left_out(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"a": 1}\n' + b"[" * 100_000 + b'\n{"b": 2}\n')
    assert list(read_lines(path)) == [{"a": 1}, {"b": 2}]


def test_a_full_disk_is_waited_for(small_disk, monkeypatch, caplog):
    monkeypatch.setattr("gobang.disk.LOOK_SECONDS", 0.01)
    path, lines = small_disk.place / "games.jsonl", [{"number": number, "moves": "a" * 1500} for number in range(8)]
    journal = Journal(path, threading.Event())
    journal.append(lines[0])
    small_disk.fill()

    def append_the_rest():
        for line in lines[1:]:
            journal.append(line)
            journal.sync()

    writing = threading.Thread(target=append_the_rest)
    writing.start()
    while "cannot be written" not in caplog.text:
        writing.join(0.01)
    assert writing.is_alive()
    assert path.read_bytes().endswith(b"\n")
    small_disk.free()
    writing.join(30)
    assert list(journal.lines()) == lines
    assert caplog.text.count("cannot be written") == caplog.text.count("can be written again") == 1
    journal.close()


def test_who_is_to_stop_does_not_wait_and_leaves_nothing_of_the_line(small_disk):
    stopping = threading.Event()
    journal = Journal(small_disk.place / "games.jsonl", stopping)
    journal.append({"number": 0})
    small_disk.fill()
    stopping.set()
    with pytest.raises(JournalFailure, match="to stop before there was room"):
        journal.append({"number": 1, "moves": "a" * 5000})
    assert list(journal.lines()) == [{"number": 0}]
    journal.close()


def test_a_folder_that_cannot_be_made_is_a_journal_failure(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalFailure, match="file"):
        Journal(tmp_path / "file" / "games.jsonl", threading.Event())


def test_a_growing_file_is_read_on_from_where_one_was(path):
    assert read_lines_after(path, 0) == ([], 0)
    write(path, {"number": 0}, {"number": 1})
    lines, position = read_lines_after(path, 0)
    assert (lines, position) == ([{"number": 0}, {"number": 1}], path.stat().st_size)
    with path.open("ab") as file:
        file.write(b'no JSON\n{"number":2}\n{"numb')
    assert read_lines_after(path, position) == ([{"number": 2}], path.stat().st_size - len(b'{"numb'))
    path.write_bytes(b'{"number":9}\n')
    assert read_lines_after(path, position) == ([{"number": 9}], 13)


def test_a_look_at_a_growing_file_reads_a_bounded_part(path, monkeypatch):
    monkeypatch.setattr("evaluator.judging.journal._BATCH", 30)
    write(path, *({"number": number} for number in range(10)), {"text": "x" * 100}, {"number": 10})
    read, position, last = [], 0, -1
    while position != last:
        last = position
        lines, position = read_lines_after(path, position)
        assert len(lines) <= 2
        read += lines
    assert read == [{"number": number} for number in range(11)]
