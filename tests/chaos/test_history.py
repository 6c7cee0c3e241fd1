import json
import time

import pytest

from learner.replay.pool.replay_pool import START
from tests.chaos.history import Entry, Findings, acknowledged_games, compare, gaps, metric_faults, numbering_faults
from tests.chaos.nemesis import loss_faults
from tests.chaos.record import PLACE, Record, RecordedPoolFactory
from tests.learner.replay.games import SMALL, stored_games

GAMES = [f"self_play:00@a/{number:06}" for number in range(4)]


def read(games):
    return dict.fromkeys(games, 1)


def test_a_history_in_which_each_game_is_there_once_is_clean():
    assert compare(GAMES[:3], GAMES, read(GAMES)) == Findings(acknowledged=3)
    assert compare(GAMES[:3], GAMES, read(GAMES)).is_clean


def test_a_game_that_is_missing_in_the_pool_or_at_the_learner_is_lost():
    assert compare(GAMES, GAMES[:3], read(GAMES)).lost == (GAMES[3],)
    assert compare(GAMES, GAMES, read(GAMES[1:])).lost == (GAMES[0],)


def test_a_gap_between_two_games_of_an_actor_is_a_loss_even_if_nobody_was_told():
    assert compare([], [GAMES[0], GAMES[2]], {}).lost == (GAMES[1],)
    assert gaps(["twins-1/000004", *GAMES]) == []


def test_a_game_that_is_stored_or_read_twice_is_found():
    assert compare([], [*GAMES, GAMES[1]], read(GAMES)).twice == (GAMES[1],)
    assert compare([], GAMES, {**read(GAMES), GAMES[2]: 2}).twice == (GAMES[2],)


def test_numbers_of_the_pool_follow_each_other_and_metrics_rise():
    entries = [Entry(game="a/1", number=1, before=0), Entry(game="a/2", number=3, before=9)]
    assert numbering_faults(entries) == ["game 3 of the pool comes after game 1"]
    lines = [{"version": 3, "loss": 2.0}, {"games": 5}, {"version": 2, "loss": 1.0}]
    assert metric_faults(lines) == ["version fell from 3 to 2"]


def test_a_loss_that_does_not_fall_is_a_fault():
    losses = [{"loss": loss} for loss in (3.0, 3.0, 3.0, 2.0, 1.0, 1.0, 1.5, 1.5, 1.5)]
    assert loss_faults([{}, *losses]) == []
    assert loss_faults(losses[::-1]) == ["the loss rose from 1.500 to 3.000"]
    assert loss_faults(losses[:8]) == ["too few losses are known"]


@pytest.fixture
def record(tmp_path):
    def make(*lines):
        (tmp_path / "1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return Record(tmp_path).look()

    return make


def test_a_game_counts_once_its_writer_had_the_time_to_send_it_again(record):
    found = record({"at": 10.0, "stored": GAMES[0]}, {"at": 14.0, "stored": GAMES[1]})
    assert acknowledged_games(found, now=16.0, killed=()) == [GAMES[0]]
    assert acknowledged_games(found, now=20.0, killed=()) == GAMES[:2]


def test_a_game_of_just_before_the_death_of_redis_counts_if_its_writer_lived_on(record):
    lines = [{"at": 10.0, "stored": GAMES[0]}]
    assert acknowledged_games(record(*lines), now=60.0, killed=(12.0,)) == []
    lines.append({"at": 30.0, "stored": GAMES[1]})
    assert acknowledged_games(record(*lines), now=60.0, killed=(12.0,)) == GAMES[:2]
    assert acknowledged_games(record(lines[0]), now=60.0, killed=(16.0,)) == GAMES[:1]


def test_a_record_is_written_by_who_is_answered(server, tmp_path, monkeypatch):
    monkeypatch.setenv(PLACE, str(tmp_path))
    games, began = stored_games(SMALL, 3, actor="self_play:00@a"), time.monotonic()
    make = RecordedPoolFactory(url=server.local_url, variant=SMALL, name="recorded")
    actor, learner, record = make(), make(), Record(tmp_path)
    for game in games:
        actor.add(game)
    assert len(record.stored_after(began)) == 3
    assert record.writers("self_play:00@") == {"self_play:00@a"}
    learner.read_since(START, 10)
    assert record.look().read[record.newest_reader] == read(game.id for game in games)
