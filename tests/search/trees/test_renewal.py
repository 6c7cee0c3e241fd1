"""Games that go on to their next move by themselves, against searches from the start."""

import numpy as np
import pytest

from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import IN_HALVES, Search
from gobang.types import UNDECIDED, Variant
from tests.search.evaluators import HashedEvaluator, LateEvaluator

VARIANT = Variant.square(5, k=4)


def search_alone(config: SearchConfig, position: Position):
    search = Search(VARIANT, config, HashedEvaluator(VARIANT), rng=np.random.default_rng(0))
    return search.run([position])


@pytest.mark.parametrize("pipelined", [False, True])
@pytest.mark.parametrize("options", [{}, {"solver": False}, {"leaves": 4}, {"reuse": True}])
def test_each_move_is_that_of_a_search_of_its_own(pipelined, options):
    config = SearchConfig(simulations=40, **options)
    search = Search(
        VARIANT,
        config,
        LateEvaluator(HashedEvaluator(VARIANT)),
        games=5,
        rng=np.random.default_rng(0),
        questions=IN_HALVES if pipelined else 1,
    )
    games = [Position(VARIANT, [point]) for point in range(5)]
    search.begin(games)
    moves = 0
    while moves < 60:
        rows = search.advance()
        result = search.result(rows)
        for place, row in enumerate(rows):
            if "reuse" not in options:
                np.testing.assert_array_equal(result.visits[place], search_alone(config, games[row]).visits[0])
            games[row].play(int(result.moves[place]))
            if games[row].outcome != UNDECIDED:
                games[row] = Position(VARIANT, [int(row)])
        search.renew(rows, [games[row] for row in rows], [config.simulations] * len(rows))
        moves += len(rows)


def test_positions_that_tactics_decide_at_once_are_returned_without_a_question():
    won = Position(VARIANT, [0, 20, 1, 21, 2, 22])
    evaluator = HashedEvaluator(VARIANT)
    search = Search(
        VARIANT, SearchConfig(simulations=40), evaluator, games=2, rng=np.random.default_rng(0), questions=IN_HALVES
    )
    search.begin([won, won])
    rows = [search.advance().tolist() for _ in range(4)]
    assert rows == [[0], [1], [0], [1]]
    assert search.result(np.array([1])).moves.tolist() == [3]
    assert evaluator.asked == []
    search.renew(np.array([1]), [won], [40])
    assert search.advance().tolist() == [0]


def test_simulations_are_counted_by_row():
    search = Search(
        VARIANT, SearchConfig(simulations=9), HashedEvaluator(VARIANT), games=2, rng=np.random.default_rng(0)
    )
    search.run([Position(VARIANT), Position(VARIANT)])
    assert search.simulations_done(np.array([1])) == 9
    assert search.simulations_done() == 18


def test_a_renewed_row_may_have_a_smaller_budget():
    search = Search(
        VARIANT, SearchConfig(simulations=9), HashedEvaluator(VARIANT), games=2, rng=np.random.default_rng(0)
    )
    search.begin([Position(VARIANT), Position(VARIANT)])
    rows: list[int] = []
    while len(rows) < 2:
        rows += search.advance().tolist()
    search.renew(np.array([0, 1]), [Position(VARIANT, [7]), Position(VARIANT, [8])], [4, 50])
    while search.step():
        pass
    assert [search.simulations_done(np.array([row])) for row in (0, 1)] == [4, 9]
