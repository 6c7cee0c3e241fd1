import math

import pytest

from evaluator.report.run_record import NotARun, read_run, read_runs
from gobang.errors import InvalidConfig
from gobang.run_folder import RunFolder, best_weights
from gobang.types import Variant
from tests.evaluator.report.written import write_run


def test_a_run_is_read_as_it_was_written(run_folder):
    run = read_run(run_folder)
    assert (run.name, run.variant, run.lines) == ("one", Variant.square(8), 6)
    assert run.axis("minutes").tolist() == [1, 2, 3, 4, 5, 6]
    assert run.axis("games").tolist() == [0, 100, 200, 300, 400, 500]
    assert run.line_of_version(2) == 2
    assert run.promoted() == [0, 2]
    assert run.last("loss") == pytest.approx(4 / 6)
    assert math.isnan(run.last("never_measured"))
    assert run.summary["machine"] == "a laptop"
    assert best_weights(run.folder).exists()


def test_lines_that_are_being_written_are_left_for_the_next_time(run_folder, caplog):
    before = read_run(run_folder)
    for name in ("metrics.jsonl", "evaluator/games.jsonl"):
        path = run_folder / name
        path.write_bytes(path.read_bytes() + b'{"time": 1')
    after = read_run(run_folder)
    assert (after.lines, after.games) == (before.lines, before.games)
    assert not caplog.records


@pytest.mark.parametrize("value", ["1" + "0" * 400, "NaN", '"x"', "[1]", "null"])
def test_what_is_no_number_of_a_float_counts_as_not_known(run_folder, value):
    metrics = run_folder / "metrics.jsonl"
    metrics.write_text(metrics.read_text() + f'{{"time": 7, "loss": {value}}}\n')
    run = read_run(run_folder)
    assert run.lines == 7
    assert run.last("loss") == pytest.approx(4 / 6)


def test_a_run_in_progress_is_not_disturbed(run_folder):
    with RunFolder(run_folder).locked():
        before = {path: path.stat().st_mtime_ns for path in run_folder.rglob("*")}
        read_run(run_folder)
        assert {path: path.stat().st_mtime_ns for path in run_folder.rglob("*")} == before


def test_a_run_that_has_just_begun_has_nothing_yet(run_folder):
    for name in ("metrics.jsonl", "summary.json", "evaluator/games.jsonl"):
        (run_folder / name).unlink()
    run = read_run(run_folder)
    assert (run.lines, run.games, run.summary) == (0, (), {})


def test_a_folder_that_is_no_run_is_refused_with_the_nearest_one(run_folder):
    with pytest.raises(NotARun, match=r"no such folder.*did you mean .*one\?"):
        read_run(run_folder.with_name("onn"))
    (run_folder / "weights" / "x").mkdir()
    with pytest.raises(NotARun, match=r"there is no config\.yaml in it"):
        read_run(run_folder / "weights")


@pytest.mark.parametrize("text", ["", "game: 8", "game: {height: 1}", "game: {heigth: 8}", "{"])
def test_damaged_settings_are_refused(run_folder, text):
    (run_folder / "config.yaml").write_text(text)
    with pytest.raises(NotARun, match=r"config\.yaml"):
        read_run(run_folder)


def test_runs_of_one_name_are_told_apart_by_their_folders(run_folder, tmp_path):
    other = write_run(tmp_path / "elsewhere" / "one")
    assert [run.name for run in read_runs([run_folder, other])] == [str(run_folder), str(other)]


def test_runs_of_different_games_are_not_compared(run_folder, tmp_path):
    other = write_run(tmp_path / "two")
    config = other / "config.yaml"
    config.write_text(config.read_text().replace("height: 8", "height: 9"))
    with pytest.raises(InvalidConfig, match=r"two plays 9x8.* plays 8x8"):
        read_runs([run_folder, other])
