import shutil
import threading
from pathlib import Path

import pytest

from evaluator.judging.contest import Contest, Rollouts, Version
from evaluator.judging.gate import PROMOTE, ContestGame, Standing
from evaluator.judging.history import ANCHORS, History
from evaluator.judging.journal import Journal, read_lines
from evaluator.judging.ladder import LadderConfig
from evaluator.statistics.bradley_terry import rate
from evaluator.statistics.tally import Tally
from gobang.run_folder import RunFolder
from gobang.types import GameRecord, Variant
from tests.power_cut import PowerCut, needs_proc

BOARD = Variant.square(5, 4)
GOLDEN = Path(__file__).parents[2] / "golden" / "judging"  # lines of a run on 5x5, 4 in a row, of November 2026
TERMS = "5x5, 8 simulations"
WON = Standing(
    verdict=PROMOTE,
    by_colour=(Tally(wins=2, draws=1, losses=0), Tally(wins=3, draws=0, losses=0)),
    games=6,
    log_likelihood_ratio=0.25,
)


def game(match, number, moves=None):
    record = GameRecord(variant=BOARD, moves=moves or (match, number), outcome=0)
    return ContestGame(match=match, number=number, names=("v1", "v2"), record=record)


@pytest.fixture
def opened(tmp_path):
    histories = []

    def open_again():
        histories.append(History(RunFolder(tmp_path), BOARD, LadderConfig(first=1000, last=2000), threading.Event()))
        return histories[-1]

    yield open_again
    for history in histories:
        history.close()


def state(history):
    ladder = history.ladder
    return (
        history.best, history.judged, history.current, history.games, history.table.games,
        ladder.rung, ladder.climber, ladder.standstills, ladder.without_progress,
    )  # fmt: skip


def play(history):
    """A first version, a second one that is promoted and wins a rung, and a match in progress."""
    yield history.begin(1, Version(number=0), TERMS)
    yield history.end(WON)
    yield history.begin(1, Rollouts(playouts=1000), TERMS)
    yield history.record(game(1, 0))
    yield history.end(WON)
    yield history.begin(1, Rollouts(playouts=2000), TERMS)
    yield history.end(WON)
    yield history.begin(2, Version(number=1), TERMS)
    yield history.record(game(3, 1))
    yield history.record(game(3, 0))


def test_after_every_line_a_new_reader_knows_the_same(opened):
    history = opened()
    for _ in play(history):
        assert state(opened()) == state(history)
    assert (history.best, history.judged, history.ladder.rung) == (1, 1, None)
    assert history.current.names == ("v2", "v1")
    assert [each.number for each in history.games] == [1, 0]


@needs_proc
def test_no_power_cut_leaves_the_end_of_a_match_without_its_games(opened, tmp_path, monkeypatch):
    disk, folder, seen = PowerCut(monkeypatch), RunFolder(tmp_path), []
    append = Journal.append

    def recorded_append(journal, line):
        if "end" in line:
            seen.append(disk.survivor(folder.games))
        append(journal, line)

    monkeypatch.setattr(Journal, "append", recorded_append)
    history = opened()
    history.begin(1, Version(number=0), TERMS)
    assert disk.survivor(folder.matches) == folder.matches.read_bytes()
    history.record(game(0, 0))
    history.record(game(0, 1))
    history.end(WON)
    assert seen == [folder.games.read_bytes()]
    assert disk.survivor(folder.matches) == folder.matches.read_bytes()
    assert folder.matches.read_bytes().count(b"\n") == 2


def test_a_match_line_cut_at_any_byte_is_as_if_it_had_not_been_written(opened, tmp_path):
    history = opened()
    history.begin(1, Version(number=0), TERMS)
    before = state(history)
    history.end(WON)
    path = RunFolder(tmp_path).matches
    whole = path.read_bytes()
    for cut in range(whole.index(b"\n") + 1, len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert state(opened()) == before


def test_identical_games_of_a_match_are_rated_once(opened):
    history = opened()
    history.begin(2, Version(number=1), TERMS)
    history.record(game(0, 0, moves=(1, 2, 3)))
    history.record(game(0, 2, moves=(1, 2, 3)))
    assert len(history.games) == 2  # the gate has to know that both were played
    assert history.table.games == opened().table.games == 1


def test_a_number_of_a_match_is_read_once(opened):
    history = opened()
    history.begin(2, Version(number=1), TERMS)
    for _ in range(2):
        history.record(game(0, 0))
    assert len(history.games) == len(opened().games) == 1


def test_the_same_game_in_two_matches_is_rated_twice(opened):
    history = opened()
    for match in range(2):
        history.begin(2, Version(number=1), TERMS)
        history.record(game(match, 0, moves=(1, 2, 3)))
        history.end(WON)
    assert history.table.games == opened().table.games == 2


def test_a_match_never_takes_the_number_of_one_whose_line_is_lost(opened, tmp_path):
    history = opened()
    history.begin(1, Version(number=0), TERMS)
    history.record(game(0, 0))
    RunFolder(tmp_path).matches.write_text("")
    contest = opened().begin(1, Version(number=0), TERMS)
    assert contest.number == 1
    assert opened().games == []


@pytest.fixture
def golden(tmp_path):
    """The history of a run of which matches 0 to 4, 8, 23 and the beginning of 24 are left."""
    folder = RunFolder(tmp_path / "golden")
    shutil.copytree(GOLDEN, folder.evaluator)
    history = History(folder, BOARD, LadderConfig(first=10, step=10, last=20, games=2), threading.Event())
    yield history
    history.close()


def test_journals_of_runs_made_before_are_read(golden):
    assert (golden.best, golden.judged, golden.ladder.rung, golden.ladder.without_progress) == (14, 40, None, 1)
    assert (golden.current.number, golden.current.names) == (24, ("v41", "v34"))
    assert [game.number for game in golden.games] == [2, 3]
    assert golden.table.games == 22
    elo = {rating.name: rating.elo for rating in rate(golden.table, ANCHORS)}
    assert (elo["v14"], elo["v0"]) == pytest.approx((340.45, 163.04), abs=0.01)


def test_journals_are_written_as_they_always_were(golden, tmp_path):
    folder = RunFolder(tmp_path / "again")
    again = Journal(folder.matches, threading.Event()), Journal(folder.games, threading.Event())
    for line in read_lines(GOLDEN / "matches.jsonl"):
        again[0].append({"begin": Contest.from_line(line["begin"]).as_line()} if "begin" in line else line)
    for line in read_lines(GOLDEN / "games.jsonl"):
        again[1].append(ContestGame.from_line(line, BOARD).as_line())
    for journal in again:
        assert journal.path.read_bytes() == (GOLDEN / journal.path.name).read_bytes()
        journal.close()
