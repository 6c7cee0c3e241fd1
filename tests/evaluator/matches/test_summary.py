import json
import math

import pytest

from evaluator.matches.summary import Failure, as_dict, as_text, record_line, summarise
from evaluator.statistics.tally import Tally
from gobang.match import NOBODY, Fixture, PlayedGame
from gobang.types import GameRecord, Variant

VARIANT = Variant.square(8)


def played(moves, outcome, *, a_is_black=True, failed=NOBODY, note="", seconds=(0.2, 0.1)):
    return PlayedGame(
        fixture=Fixture(opening=(), seats=(0, 1) if a_is_black else (1, 0)),
        record=GameRecord(variant=VARIANT, moves=moves, outcome=outcome, note=note),
        failed=failed,
        choices=(10, 10),
        seconds=seconds,
    )


def test_results_are_counted_by_the_colour_of_a():
    games = [played((1,), 0), played((1,), 0, a_is_black=False), played((2,), 2), played((3,), 1, a_is_black=False)]
    summary = summarise(dict(enumerate(games)))
    assert summary.by_colour == (Tally(wins=1, draws=1, losses=0), Tally(wins=1, draws=0, losses=1))
    assert (summary.total.score, summary.games, summary.total.games) == (0.625, 4, 4)


def test_identical_games_count_once():
    pair = [played((1,), 0), played((2,), 0, a_is_black=False)]
    summary = summarise(dict(enumerate([*pair, *pair, *pair])))
    assert summary.games == 6
    assert summary.total == Tally(wins=1, draws=0, losses=1)


def test_failures_are_named_with_their_reason():
    lost = [played((n,), 0, failed=1, note="player 1: no answer: 5 s") for n in range(3)]
    summary = summarise(dict(enumerate([*lost, played((4,), 0, a_is_black=False)])))
    assert summary.failures == (Failure(contestant=1, reason="no answer: 5 s", games=3),)
    assert "b lost 3 off the board: no answer: 5 s" in as_text(summary)


def test_time_is_the_player_s_whatever_its_colour():
    games = [played((1,), 0, seconds=(0.3, 0.1)), played((2,), 0, a_is_black=False, seconds=(0.2, 0.5))]
    assert summarise(dict(enumerate(games))).ms_per_move == pytest.approx((40, 15))


@pytest.mark.parametrize(("winner", "side"), [(0, "Elo         over +"), (1, "Elo         under -")])
def test_an_infinite_elo_is_a_bound(winner, side):
    games = [played((number,), winner ^ number % 2, a_is_black=number % 2 == 0) for number in range(200)]
    summary = summarise(dict(enumerate(games)))
    fields = as_dict(summary)
    assert (fields["elo"], fields["elo_error"], fields["elo_interval"][1 - winner]) == (None, None, None)
    assert abs(fields["elo_interval"][winner]) > 400
    assert side in as_text(summary)


def test_elo_comes_with_the_error_of_pairs():
    games = [played((number,), 0, a_is_black=number % 2 == 0) for number in range(200)]
    fields = as_dict(summarise(dict(enumerate(games))))
    assert fields["score"] == 0.5
    assert (fields["elo"], fields["by_colour"]["black"]["wins"]) == (0, 100)
    assert math.isclose(fields["elo_interval"][1], fields["elo_error"], abs_tol=0.01)
    assert fields["elo_error"] < 12  # games on their own would give 48
    assert "Elo         +0 +- " in as_text(summarise(dict(enumerate(games))))


def test_nothing_played_is_still_json():
    fields = as_dict(summarise({}))
    assert json.loads(json.dumps(fields, allow_nan=False))["ms_per_move"] == {"a": None, "b": None}
    assert "no bound yet" in as_text(summarise({}))


def test_a_record_names_players_and_points():
    fields = json.loads(record_line(7, played((0, 63), 0, a_is_black=False), ("random", "uniform")))
    assert (fields["game"], fields["black"], fields["white"]) == (7, "uniform", "random")
    assert (fields["moves"], fields["result"], fields["width"]) == (["a1", "h8"], "black", 8)


def test_a_record_is_written_as_it_always_was():
    assert record_line(3, played((0, 9), 2), ("random", "rollout:sims=5")) == (
        '{"game": 3, "black": "random", "white": "rollout:sims=5", "height": 8, "width": 8, "k": 5, '
        '"rule": "freestyle", "moves": ["a1", "b2"], "opening": 0, "result": "draw", "note": ""}'
    )
