"""The kernels of both tree searches are compiled once, whoever answers and whatever is searched."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.evaluators.cached import CachedEvaluator
from gobang.evaluators.null import NullEvaluator
from gobang.evaluators.uniform import UniformEvaluator
from gobang.rules.position import Position
from gobang.search.trees.config import ALGORITHMS, SearchConfig
from gobang.search.trees.lockstep import exchange
from gobang.search.trees.rollout import RolloutSearch, roll_out
from gobang.search.trees.roots import read_root
from gobang.search.trees.search import IN_HALVES, Search
from gobang.types import Variant

VARIANTS = [Variant.square(6, k=4), Variant(height=6, width=7, rule="renju"), Variant.square(5, k=4, players=3)]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_kernels_are_compiled_once(variant: Variant) -> None:
    evaluators = (
        NullEvaluator(variant),
        UniformEvaluator(variant, 1),
        CachedEvaluator(NullEvaluator(variant), variant, entries=64),
    )
    for evaluator in evaluators:
        for algorithm in ALGORITHMS:
            config = SearchConfig(simulations=8, algorithm=algorithm, leaves=2, solver=algorithm != "ucb1")
            search = Search(variant, config, evaluator, games=2, rng=np.random.default_rng(0), questions=IN_HALVES)
            search.run([Position(variant), Position(variant, [0])])
    RolloutSearch(variant, SearchConfig(simulations=8), seed=0).run([Position(variant)])
    for compiled in (exchange, read_root, roll_out):
        assert len(compiled.signatures) == 1  # type: ignore[attr-defined]
