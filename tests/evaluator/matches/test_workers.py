import pytest

from evaluator.matches.workers import WorkerLost, game_sets, play_set, play_sets
from gobang.errors import PlayerFailure
from gobang.match import paired
from gobang.openings import random_openings
from gobang.types import Variant
from tests.fakes import FirstPoint, die, make_dice, make_nothing

VARIANT = Variant.square(5, k=4)
FIXTURES = paired(random_openings(VARIANT, 2, 6, seed=1))


def records(jobs, seed=1):
    games = {}
    play_sets(game_sets(VARIANT, [make_dice, make_dice], FIXTURES, seed), jobs, games.__setitem__)
    assert [games[number].fixture for number in range(len(FIXTURES))] == FIXTURES
    return [games[number].record for number in range(len(FIXTURES))]


def test_games_depend_on_the_seed_and_not_on_the_processes():
    assert records(jobs=1) == records(jobs=2)
    assert records(jobs=1) != records(jobs=1, seed=2)


@pytest.mark.parametrize(("pairs", "sizes"), [(1, [2]), (6, [4, 4, 4]), (100, [50] * 4), (200, [64] * 6 + [16])])
def test_a_match_is_cut_into_sets_of_whole_pairs(pairs, sizes):
    sets = game_sets(VARIANT, [make_dice, make_dice], paired([(0, 1)] * pairs), seed=1)
    assert [len(games.fixtures) for games in sets] == sizes
    assert [games.first for games in sets] == [sum(sizes[:index]) for index in range(len(sizes))]
    assert len({seed for games in sets for seed in games.seeds}) == 2 * len(sets)


def test_players_are_closed_even_if_another_cannot_be_made():
    player = FirstPoint()
    [games, *_] = game_sets(VARIANT, [lambda variant, seed: player, make_nothing], FIXTURES, seed=1)
    with pytest.raises(PlayerFailure):
        play_set(games, lambda number, game: None)
    assert player.is_closed


@pytest.mark.parametrize(
    ("factory", "error", "message"), [(make_nothing, PlayerFailure, "no such engine"), (die, WorkerLost, "exit code 7")]
)
def test_what_goes_wrong_in_a_process_is_told(factory, error, message):
    sets = game_sets(VARIANT, [make_dice, factory], FIXTURES, seed=1)
    with pytest.raises(error, match=message):
        play_sets(sets, 2, lambda number, game: None)
