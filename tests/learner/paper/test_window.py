from __future__ import annotations

import numpy as np
import pytest

from gobang.rules.position import Position
from learner.paper.games import Game
from learner.paper.window import Newest
from tests.learner.paper.small import SMALL


def game(*moves: int) -> Game:
    made = Game(Position(SMALL.game))
    for move in moves:
        policy = np.zeros(9, np.float32)
        policy[move] = 1
        made.play(policy, move)
    return made


@pytest.mark.parametrize(("augment", "views"), [(True, 8), (False, 1)])
def test_a_game_enters_in_all_views(augment: bool, views: int) -> None:
    newest = Newest(SMALL.game, 100, augment=augment)
    newest.extend(game(0, 3, 1, 4, 2).samples())
    assert len(newest) == 5 * views
    drawn = newest.draw(5 * views, np.random.default_rng(1))
    firsts = drawn.policy[(drawn.boards.cells == 0).all(axis=1)]
    assert len(set(firsts.argmax(axis=1).tolist())) == (4 if augment else 1)  # a corner, in each of its places


def test_the_oldest_leave_and_none_is_drawn_twice() -> None:
    newest = Newest(SMALL.game, 5, augment=False)
    newest.extend(game(8, 3, 7, 4, 6).samples())
    newest.extend(game(0, 3, 1, 4, 2).samples())
    drawn = newest.draw(5, np.random.default_rng(1))
    assert sorted(drawn.policy.argmax(axis=1).tolist()) == [0, 1, 2, 3, 4]


def test_its_state_is_all_of_it() -> None:
    newest, other = (Newest(SMALL.game, 20, augment=True) for _ in range(2))
    newest.extend(game(0, 3, 1, 4, 2).samples())
    other.set_state(newest.get_state())
    one, two = (each.draw(8, np.random.default_rng(1)) for each in (newest, other))
    assert np.array_equal(one.boards.cells, two.boards.cells)
    assert np.array_equal(one.policy, two.policy)
