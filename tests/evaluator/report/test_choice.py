from evaluator.judging.gate import ContestGame
from evaluator.report.choice import choose_games
from gobang.types import GameRecord, Variant


def game(number, black, white, outcome, length=9):
    record = GameRecord(variant=Variant.square(8), moves=tuple(range(length)), outcome=outcome, opening=2)
    return ContestGame(match=0, number=number, names=(black, white), record=record)


GAMES = [
    game(0, "v2", "v1", 0),
    game(1, "rollout:sims=1000", "v2", 1),
    game(2, "v2", "rollout:sims=1000", 1),
    game(3, "v1", "v2", 2, length=64),
    game(4, "v1", "v2", 0),
    game(5, "v2", "v1", 0),
]


def test_each_reason_takes_its_newest_game():
    chosen = choose_games(GAMES, 5)
    assert [each.game.number for each in chosen] == [4, 5, 2, 1, 3]
    assert chosen[0].reason == "a candidate lost to the best"


def test_no_game_is_chosen_twice_and_none_is_made_up():
    assert sorted(each.game.number for each in choose_games(GAMES, 20)) == list(range(6))
    assert choose_games([], 4) == []
