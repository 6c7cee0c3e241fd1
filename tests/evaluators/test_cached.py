"""The remembering evaluator."""

from __future__ import annotations

import numpy as np

from gobang.evaluators.cached import CachedEvaluator
from gobang.rules.position import Position, as_batch
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import Search
from gobang.types import Positions, Variant
from tests.search.evaluators import HashedEvaluator, LateEvaluator

VARIANT = Variant.square(6, k=4)


def batch(*games: list[int]) -> Positions:
    return as_batch([Position(VARIANT, moves) for moves in games])


def answers(evaluator: CachedEvaluator | HashedEvaluator, positions: Positions) -> list[list[float]]:
    found = evaluator.collect(evaluator.submit(positions))
    return np.concatenate([found.priors, found.chances], axis=1).tolist()


def test_answers_are_those_of_the_inner_evaluator() -> None:
    inner = HashedEvaluator(VARIANT)
    cache = CachedEvaluator(inner, VARIANT, entries=64)
    rng = np.random.default_rng(0)
    for _ in range(40):
        positions = batch(*([int(point)] for point in rng.integers(0, 36, 9)))
        assert answers(cache, positions) == answers(HashedEvaluator(VARIANT), positions)
    assert cache.answered > 0


def test_known_positions_are_not_asked_again() -> None:
    inner = HashedEvaluator(VARIANT)
    cache = CachedEvaluator(inner, VARIANT)
    answers(cache, batch([1], [2]))
    answers(cache, batch([2], [1], [3]))
    assert [len(asked) for asked in inner.asked] == [2, 1]
    assert cache.answered == 2


def test_equal_positions_in_a_batch_are_asked_once() -> None:
    inner = HashedEvaluator(VARIANT)
    cache = CachedEvaluator(inner, VARIANT)
    rows = answers(cache, batch([1], [1], [2], [1]))
    assert rows[0] == rows[1] == rows[3] != rows[2]
    assert len(inner.asked[0]) == 2


def test_new_weights_forget_old_answers() -> None:
    inner = HashedEvaluator(VARIANT)
    cache = CachedEvaluator(inner, VARIANT)
    answers(cache, batch([1]))
    inner.version = 1
    answers(cache, batch([1]))
    assert len(inner.asked) == 2


def test_the_last_move_tells_positions_apart() -> None:
    inner = HashedEvaluator(VARIANT)
    cache = CachedEvaluator(inner, VARIANT)
    answers(cache, batch([1, 2, 3]))
    answers(cache, batch([3, 2, 1]))
    assert len(inner.asked) == 2


def test_among_three_the_last_move_of_each_tells_positions_apart() -> None:
    variant = Variant.square(6, k=4, players=3)
    inner = HashedEvaluator(variant)
    cache = CachedEvaluator(inner, variant)
    for moves in ([1, 2, 3, 4, 5], [4, 2, 3, 1, 5], [1, 2, 3, 4, 5]):  # the last to move is the same, black's is not
        answers(cache, as_batch([Position(variant, moves)]))
    assert len(inner.asked) == 2


def test_two_batches_may_be_on_their_way() -> None:
    cache = CachedEvaluator(LateEvaluator(HashedEvaluator(VARIANT)), VARIANT)
    first, second = cache.submit(batch([1], [2])), cache.submit(batch([2], [3]))
    late, early = cache.collect(second), cache.collect(first)
    assert late.priors[0].tolist() == early.priors[1].tolist()


def test_a_search_finds_the_same_with_and_without() -> None:
    config = SearchConfig(simulations=200)
    plain, inner = HashedEvaluator(VARIANT), HashedEvaluator(VARIANT)
    cache = CachedEvaluator(inner, VARIANT)
    positions = [Position(VARIANT)] * 8
    results = [
        Search(VARIANT, config, evaluator, games=8, rng=np.random.default_rng(0)).run(positions)
        for evaluator in (plain, cache)
    ]
    assert results[0].visits.tolist() == results[1].visits.tolist()
    assert sum(len(asked) for asked in inner.asked) < sum(len(asked) for asked in plain.asked) / 7
