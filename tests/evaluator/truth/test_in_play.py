"""Turns that count are a player's own, new, and of those at which the choice matters."""

from evaluator.truth.in_play import fixtures_in_play, met_in_play
from gobang.match import NOBODY, Fixture, PlayedGame
from gobang.rules.position import Position
from gobang.types import GameRecord, Variant

VARIANT = Variant(height=3, width=4, k=3)


def played(moves: tuple[int, ...], seats: tuple[int, int]) -> PlayedGame:
    position = Position(VARIANT, moves)
    return PlayedGame(
        fixture=Fixture(opening=moves[:1], seats=seats),
        record=GameRecord(variant=VARIANT, moves=moves, outcome=position.outcome, note=""),
        failed=NOBODY,
        choices=(1, 1),
        seconds=(0.0, 0.0),
    )


def test_each_opening_is_played_with_both_colours() -> None:
    fixtures = fixtures_in_play(VARIANT, 5, seed=1)
    assert [fixture.seats for fixture in fixtures] == [(0, 1), (1, 0), (0, 1), (1, 0), (0, 1)]
    assert fixtures[0].opening == fixtures[1].opening


def test_a_win_that_is_taken_is_kept_and_one_that_is_missed_is_not() -> None:
    wins = played((0, 8, 1, 9, 2), (0, 1))  # a1 b1 c1 in a row of three
    misses = played((0, 8, 1, 9, 11, 10), (0, 1))
    met, kept = met_in_play(VARIANT, [wins, misses])
    last = met[-1].moves
    assert last == (0, 8, 1, 9)
    assert kept.tolist()[-1]
    assert len(met) == len({each.moves for each in met})
    missed, not_kept = met_in_play(VARIANT, [misses])
    assert missed[-1].moves == last
    assert not not_kept[-1]


def test_turns_of_the_opponent_do_not_count() -> None:
    met, _ = met_in_play(VARIANT, [played((0, 8, 1, 9, 2), (1, 0))])
    assert all(len(each.moves) % 2 == 1 for each in met)
