import itertools
import time

import pytest

from gobang.match import NOBODY, Fixture, arrangements, paired, play_games
from gobang.rules.position import Position, parse_point
from gobang.types import GameRecord, Variant
from tests.fakes import Failing, FirstPoint, LastPoint

VARIANT = Variant.square(5, k=3)


def points(*names):
    return tuple(parse_point(VARIANT, name) for name in names)


class Occupied(FirstPoint):
    def choose(self, turns):
        return [turn.position.moves[0] for turn in turns]


def test_the_seats_say_who_plays_which_colour():
    fixtures = [Fixture(opening=(), seats=(0, 1)), Fixture(opening=(), seats=(1, 0))]
    games = play_games(VARIANT, [FirstPoint(), LastPoint()], fixtures)
    assert [game.record.moves for game in games] == [
        points("a1", "e5", "b1", "d5", "c1"),
        points("e5", "a1", "d5", "b1", "c5"),
    ]
    assert [game.record.outcome for game in games] == [0, 0]
    assert [game.choices for game in games] == [(3, 2), (3, 2)]
    assert all(seconds > 0 for game in games for seconds in game.seconds)


def test_the_opening_is_played_first_and_not_charged():
    opening = points("c3", "e5", "c4")
    [game] = play_games(VARIANT, [FirstPoint(), LastPoint()], [Fixture(opening=opening, seats=(0, 1))])
    assert game.record.moves == (*opening, *points("d5", "a1", "c5"))
    assert (game.record.opening, game.record.outcome, game.choices) == (3, 1, (1, 2))


def test_all_games_of_a_player_are_asked_about_at_once():
    player = FirstPoint()
    fixtures = [Fixture(opening=(), seats=(0, 1)), Fixture(opening=(), seats=(1, 0))] * 2
    play_games(VARIANT, [player, FirstPoint()], fixtures)
    assert player.asked[:2] == [[0, 2], [0, 1, 2, 3]]


def test_games_asked_about_together_share_the_time(monkeypatch):
    monkeypatch.setattr(time, "perf_counter", itertools.count().__next__)  # each call takes a second
    games = play_games(VARIANT, [FirstPoint(), LastPoint()], [Fixture(opening=(), seats=(0, 1))] * 4)
    assert [game.seconds for game in games] == [(0.75, 0.5)] * 4


def test_no_more_games_are_in_progress_than_a_player_can_take():
    player, done = FirstPoint(games_at_once=2), []
    games = play_games(
        VARIANT,
        [LastPoint(), player],
        [Fixture(opening=(), seats=(0, 1))] * 5,
        lambda number, game: done.append(number),
    )
    assert max(map(len, player.asked)) == 2
    assert sorted(done) == [0, 1, 2, 3, 4]
    assert len(games) == 5


@pytest.mark.parametrize(("games_at_once", "lost"), [(1, [1]), (3, [0, 1, 2])])
def test_a_failure_loses_the_games_of_its_call(games_at_once, lost):
    players = [LastPoint(), Failing(game=1, games_at_once=games_at_once)]
    games = play_games(VARIANT, players, [Fixture(opening=(), seats=(0, 1))] * 3)
    assert [number for number, game in enumerate(games) if game.failed == 1] == lost
    assert games[1].record.note == "player 1: no answer within 5 s"
    assert games[1].record.outcome == 0


def test_an_illegal_move_loses_its_game():
    fixtures = [Fixture(opening=(), seats=(0, 1))]
    [game] = play_games(VARIANT, [FirstPoint(), Occupied()], fixtures)
    assert (game.failed, game.record.outcome, game.record.moves) == (1, 0, points("a1"))
    assert game.record.note == "player 1: illegal move, a1 is occupied"


def test_a_forfeit_among_three_is_a_draw():
    variant = Variant.square(5, k=3, players=3)
    fixture = Fixture(opening=(), seats=(2, 0, 1))
    [game] = play_games(variant, [Failing(game=0), FirstPoint(), FirstPoint()], [fixture])
    assert (game.failed, game.record.outcome) == (1, variant.draw)


def test_three_players_move_in_turn():
    variant = Variant.square(5, k=3, players=3)
    players = [FirstPoint(), LastPoint(), LastPoint()]
    [game] = play_games(variant, players, [Fixture(opening=(), seats=(2, 0, 1))])
    position = Position(variant, game.record.moves)
    assert (position.outcome, game.failed) == (game.record.outcome, NOBODY)
    assert game.record.moves[1] == 0


def test_pairs_swap_the_colours():
    assert [(each.opening, each.seats) for each in paired([(1,), (2,)])] == [
        ((1,), (0, 1)),
        ((1,), (1, 0)),
        ((2,), (0, 1)),
        ((2,), (1, 0)),
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_both_contestants_have_as_many_seats_of_each_colour(players):
    seats = arrangements(players)
    assert [sum(each) for each in zip(*seats, strict=True)] == [len(seats) / 2] * players
    assert len(set(seats)) == len(seats) == (2 if players == 2 else 2 * players)
    for first, second in zip(seats[::2], seats[1::2], strict=True):
        assert [1 - who for who in first] == list(second)


def test_points_of_three_sum_to_one():
    variant = Variant.square(4, k=3, players=3)
    for outcome in range(4):
        record = GameRecord(variant=variant, moves=(), outcome=outcome)
        assert sum(record.points(player) for player in range(3)) == pytest.approx(1)
        assert record.points(0, 2) + record.points(1) == pytest.approx(1)
