import logging

import pytest

from gobang.run_log import Logged, log_to, logging_to

LOG = logging.getLogger("learner")


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    for package in ("gobang", "actors", "learner", "evaluator"):
        for handler in logging.getLogger(package).handlers[:]:
            logging.getLogger(package).removeHandler(handler)
            handler.close()


def test_an_event_is_one_line_of_the_log(tmp_path):
    log_to(tmp_path / "log")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        LOG.exception("actor 3 failed")
    (line,) = (tmp_path / "log").read_text().splitlines()
    assert "ERROR learner: actor 3 failed | Traceback" in line
    assert line.endswith("ValueError: two | lines")


def test_a_factory_logs_to_the_run_where_it_is_in_reach(tmp_path):
    assert Logged(make=int, log=tmp_path / "elsewhere" / "log")("7") == 7
    assert Logged(make=int, log=tmp_path / "log")("8") == 8
    LOG.warning("here")
    assert (tmp_path / "log").read_text().endswith("WARNING learner: here\n")


def test_lines_wait_while_the_disk_is_full(small_disk, capsys):
    log = small_disk.place / "log"
    log_to(log)
    LOG.info("first")
    small_disk.fill()
    for number in range(100):
        LOG.info("line %d %s", number, "x" * 100)
    before = log.read_text()
    assert before.endswith("\n")
    assert before.count("\n") < 100
    small_disk.free()
    LOG.info("last")
    words = [line.split(": ")[1].split()[:2] for line in log.read_text().splitlines()]
    assert words == [["first"], *(["line", str(number)] for number in range(100)), ["last"]]
    assert capsys.readouterr() == ("", "")


def test_a_log_for_a_while_leaves_the_loggers_as_they_were(tmp_path):
    before = (LOG.handlers[:], LOG.level)
    with logging_to(tmp_path / "log"):
        LOG.info("meanwhile")
    LOG.warning("afterwards")
    assert (LOG.handlers, LOG.level) == before
    assert (tmp_path / "log").read_text().endswith("learner: meanwhile\n")
