"""Several questions of a game under way at once: its tree stays sound, however the search ends."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.errors import GobangError
from gobang.interfaces import Evaluator
from gobang.players.clock import think
from gobang.rules.position import Position
from gobang.search.trees.config import ALGORITHMS, SearchConfig
from gobang.search.trees.search import Search
from gobang.types import Variant
from tests.search.consistency import assert_consistent
from tests.search.evaluators import FailingEvaluator, HashedEvaluator, LateEvaluator

VARIANT = Variant.square(6, k=4)


def search_with(
    questions: int, evaluator: Evaluator | None = None, *, games: int = 1, nodes: int | None = None, **options: object
) -> Search:
    config = SearchConfig(**{"simulations": 300, "leaves": 4, "solver_nodes": 0, **options})  # type: ignore[arg-type]
    return Search(
        VARIANT,
        config,
        evaluator or LateEvaluator(HashedEvaluator(VARIANT)),
        games=games,
        rng=np.random.default_rng(0),
        questions=questions,
        nodes=nodes,
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("leaves", [1, 8])
def test_every_simulation_counts_once(algorithm: str, solver: bool, leaves: int) -> None:
    search = search_with(3, algorithm=algorithm, solver=solver, leaves=leaves)
    for plies in range(4):
        result = search.run([Position(VARIANT, range(7, 7 + plies))])
        assert result.visits.sum() == 300 or result.proven[0] >= 0
        assert_consistent(search)


@pytest.mark.parametrize("solver", [False, True])
def test_a_tree_that_is_full_is_sound(solver: bool) -> None:
    search = search_with(3, solver=solver, nodes=60, reuse=True)
    search.run([Position(VARIANT)])
    assert search._trees.size[0] == 60
    assert_consistent(search)


@pytest.mark.parametrize("steps", range(1, 8))
def test_a_search_that_is_stopped_takes_its_answers_in(steps: int) -> None:
    search, left = search_with(3, simulations=100_000, nodes=1000), iter(range(steps))
    search.begin([Position(VARIANT)])
    move = think(lambda: search, seconds=None, may_go_on=lambda: next(left, None) is not None)
    assert Position(VARIANT).legal()[move]
    assert_consistent(search)


def test_an_analysis_takes_answers_in_and_the_search_goes_on() -> None:
    search = search_with(3, solver=False)
    search.begin([Position(VARIANT)])
    while search.step():
        search.analysis(most=3)
        assert_consistent(search)
    assert search.simulations_done() == 300


def test_questions_are_under_way_together_and_the_root_is_worth_much_the_same() -> None:
    evaluator = LateEvaluator(HashedEvaluator(VARIANT))
    together = search_with(3, evaluator, simulations=2000, solver=False).run([Position(VARIANT)])
    alone = search_with(1, simulations=2000, solver=False).run([Position(VARIANT)])
    assert evaluator.most_in_flight == 3
    np.testing.assert_allclose(together.chances, alone.chances, atol=0.05)


def test_what_is_answered_when_changes_nothing() -> None:
    """The late evaluator answers in the order of `collect`, the other in that of `submit`."""
    found = [
        search_with(3, evaluator, reuse=True).run([Position(VARIANT)]).visits
        for evaluator in (HashedEvaluator(VARIANT), LateEvaluator(HashedEvaluator(VARIANT)))
    ]
    np.testing.assert_array_equal(*found)


def test_games_do_not_influence_each_other() -> None:
    positions = [Position(VARIANT, [point]) for point in range(5)]
    together = search_with(2, games=5).run(positions)
    for row, position in enumerate(positions):
        np.testing.assert_array_equal(together.visits[row], search_with(2).run([position]).visits[0])


def test_an_error_reaches_the_caller_and_leaves_nothing_behind() -> None:
    search = search_with(3, FailingEvaluator(VARIANT), reuse=True, solver=False)
    with pytest.raises(GobangError, match="no answer"):
        search.run([Position(VARIANT)])
    assert search.run([Position(VARIANT)]).visits.sum() == 300
    assert_consistent(search)
