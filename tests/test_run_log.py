import logging

from gobang.run_log import Logged, log_to

LOG = logging.getLogger("learner")


def test_an_event_is_one_line_of_the_log(tmp_path):
    handler = log_to(tmp_path / "log")
    try:
        try:
            raise ValueError("two\nlines")
        except ValueError:
            LOG.exception("actor 3 failed")
    finally:
        for package in ("gobang", "actors", "learner", "evaluator"):
            logging.getLogger(package).removeHandler(handler)
        handler.close()
    (line,) = (tmp_path / "log").read_text().splitlines()
    assert "ERROR learner: actor 3 failed | Traceback" in line
    assert line.endswith("ValueError: two | lines")


def test_a_factory_logs_to_the_run_where_it_is_in_reach(tmp_path):
    assert Logged(make=int, log=tmp_path / "elsewhere" / "log")("7") == 7
    assert Logged(make=int, log=tmp_path / "log")("8") == 8
    handler = LOG.handlers[-1]
    LOG.warning("here")
    for package in ("gobang", "actors", "learner", "evaluator"):
        logging.getLogger(package).removeHandler(handler)
    handler.close()
    assert (tmp_path / "log").read_text().endswith("WARNING learner: here\n")
