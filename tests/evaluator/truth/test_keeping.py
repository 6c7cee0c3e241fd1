import numpy as np
import pytest

from evaluator.truth.keeping import count_wins, keeps_value, shares, shares_as_dict, shares_as_text, won_openings
from evaluator.truth.solved import load_solved
from gobang.errors import Unsolved
from gobang.match import NOBODY, Fixture, PlayedGame
from gobang.players.random_player import RandomPlayer
from gobang.types import GameRecord, Variant

VARIANT = Variant.square(5, k=4)


class Knowing:
    """Plays a best move, or a worst one, as the solved positions say; 7 games at once."""

    name = "knowing"
    games_at_once = 7

    def __init__(self, solved, best=True):
        self._moves = {each.moves: int((each.values if best else -np.abs(each.values)).argmax()) for each in solved}
        self._worst = {
            each.moves: next(p for p, v in enumerate(each.values) if v not in (each.value, -9)) for each in solved
        }
        self._best = best
        self.largest = 0

    def choose(self, turns):
        self.largest = max(self.largest, len(turns))
        chosen = self._moves if self._best else self._worst
        return [chosen[tuple(turn.position.moves)] for turn in turns]

    def close(self):
        pass


def test_best_moves_keep_the_value_and_others_do_not():
    solved = load_solved(VARIANT)[:50]
    player = Knowing(solved)
    assert keeps_value(player, VARIANT, solved).all()
    assert player.largest == 7
    assert not keeps_value(Knowing(solved, best=False), VARIANT, solved).any()


def test_a_random_mover_keeps_what_the_share_of_good_moves_foretells():
    solved = load_solved(VARIANT)
    made = shares(solved, keeps_value(RandomPlayer(seed=1), VARIANT, solved))
    everything, to_win, to_draw, black, white = made
    assert everything.positions == to_win.positions + to_draw.positions == black.positions + white.positions == 1000
    assert all(low < share.random < high for share in made for low, high in [share.interval])
    assert everything.random == pytest.approx(0.22, abs=0.05)


def test_the_report_says_how_many_are_kept():
    solved = load_solved(VARIANT)[:10]
    made = shares(solved, np.arange(10) < 9)
    assert shares_as_dict(made)["all"].items() >= {"positions": 10, "kept": 9, "share": 0.9}.items()
    assert shares_as_text(made).splitlines()[1].split()[:3] == ["all", "10", "0.900"]


def test_won_games_are_taken_by_the_side_that_wins():
    fixtures = won_openings(Variant.square(6, k=4))
    assert [sum(fixture.seats == seats for fixture in fixtures) for seats in ((0, 1), (1, 0))] == [16, 20]
    assert Fixture(opening=(7,), seats=(0, 1)) in fixtures
    with pytest.raises(Unsolved, match="every first move leads to a draw"):
        won_openings(VARIANT)


def test_a_draw_is_no_win():
    def game(opening, seats, outcome):
        record = GameRecord(variant=VARIANT, moves=(opening,), outcome=outcome)
        fixture = Fixture(opening=(opening,), seats=seats)
        return PlayedGame(fixture=fixture, record=record, failed=NOBODY, choices=(0, 0), seconds=(0.0, 0.0))

    black, white = count_wins([game(6, (0, 1), 0), game(7, (0, 1), 2), game(0, (1, 0), 1), game(1, (1, 0), 0)])
    assert (black.won, black.not_won) == (1, ("c2",))
    assert (white.won, white.not_won) == (1, ("b1",))
