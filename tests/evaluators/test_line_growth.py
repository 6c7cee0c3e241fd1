"""A search that answers its own questions finds what one with an evaluator finds, simulation by simulation."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from gobang.evaluators.line_growth import LineGrowth
from gobang.evaluators.network import NetworkEvaluator, growth_of, make_evaluator
from gobang.evaluators.null import NullEvaluator
from gobang.network.checkpoint import Checkpoint, fresh_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.edges import edges_by_point
from gobang.search.trees.search import Search, SearchResult
from gobang.search.trees.tree import WAITING
from gobang.types import UNDECIDED, Variant

GAMES = {
    "freestyle": (Variant(height=7, width=11), "two"),
    "renju, with rows of black's own": (Variant.square(9, rule="renju"), "three"),
    "three players": (Variant.square(6, k=4, players=3), "players"),
}


def network(variant: Variant, features: str, **options: object) -> NetworkEvaluator:
    spec = NetworkSpec(
        architecture="line_net",
        options={"filters": 8, "value_units": 5},
        features=features,
        players=variant.players,
        **options,  # type: ignore[arg-type]
    )
    evaluator = make_evaluator(sharpened(fresh_checkpoint(spec, variant)), variant)
    assert isinstance(evaluator, NetworkEvaluator)
    return evaluator


def sharpened(checkpoint: Checkpoint) -> Checkpoint:
    """With answers that differ from position to position."""
    random = np.random.default_rng(4)
    drawn = {
        name: random.normal(size=array.shape).astype(np.float32)
        for name, array in checkpoint.tensors.items()
        if name.startswith(("policy", "outcome", "trunk.for_black"))
    }
    return replace(checkpoint, tensors={**checkpoint.tensors, **drawn})


def searches(name: str, config: SearchConfig) -> tuple[Search, Search]:
    variant, features = GAMES[name]
    evaluator = network(variant, features)
    growth = growth_of(evaluator, variant)
    assert isinstance(growth, LineGrowth)
    return tuple(
        Search(variant, config, evaluator, rng=np.random.default_rng(1), nodes=2000, growth=each)
        for each in (growth, None)
    )


def check_same(one: SearchResult, other: SearchResult) -> None:
    np.testing.assert_array_equal(one.visits, other.visits)
    np.testing.assert_allclose(one.chances, other.chances, atol=1e-6)
    assert (one.moves[0], one.evaluations) == (other.moves[0], other.evaluations)
    assert one.proven[0] == other.proven[0]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
def test_it_finds_what_an_evaluator_finds_through_a_game(name: str, algorithm: str) -> None:
    config = SearchConfig(simulations=120, algorithm=algorithm, solver=True, reuse=algorithm == "puct")
    grown, asked = searches(name, config)
    position = Position(GAMES[name][0])
    while position.outcome == UNDECIDED and len(position.moves) < 24:
        result = grown.run([position])
        check_same(result, asked.run([position]))
        position.play(int(result.moves[0]))


def test_many_games_grow_as_each_alone() -> None:
    variant, features = GAMES["freestyle"]
    evaluator = network(variant, features)
    growth = growth_of(evaluator, variant)
    config = SearchConfig(simulations=100)
    positions = [Position(variant, [point]) for point in (0, 5, 38)]
    together = Search(variant, config, evaluator, games=3, rng=np.random.default_rng(1), growth=growth).run(positions)
    for row, position in enumerate(positions):
        alone = Search(variant, config, evaluator, rng=np.random.default_rng(1), growth=growth).run([position])
        np.testing.assert_array_equal(together.visits[row], alone.visits[0])


def test_a_search_can_be_stopped_after_any_step() -> None:
    grown, _ = searches("freestyle", SearchConfig(simulations=500))
    position = Position(GAMES["freestyle"][0], [38])
    grown.begin([position])
    assert position.legal()[grown.move]
    done = [grown.simulations_done()]
    while grown.step():
        done.append(grown.simulations_done())
        assert position.legal()[grown.move]
    assert done[-1] == 500
    assert all(0 < later - earlier <= 16 for earlier, later in itertools.pairwise(done))
    assert grown.simulations_done() == 500


def test_threads_grow_one_tree_to_its_end_without_losing_a_simulation() -> None:
    variant, features = GAMES["freestyle"]
    growth = growth_of(network(variant, features), variant, threads=3)
    config = SearchConfig(simulations=3000, solver=True, reuse=True)
    search = Search(variant, config, NullEvaluator(variant), rng=np.random.default_rng(1), nodes=4000, growth=growth)
    position = Position(variant)
    for _ in range(6):
        result = search.run([position])
        assert result.visits.sum() == search.simulations_done() == 3000
        np.testing.assert_allclose(result.chances.sum(), 1, atol=1e-5)
        trees = search._trees
        assert (trees.state[0, : trees.size[0]] != WAITING).all()
        edges = edges_by_point(trees, 0, 0)
        np.testing.assert_array_equal(edges.visits[edges.visits > 0], trees.visits[0][edges.children[edges.visits > 0]])
        position.play(int(result.moves[0]))


def test_what_cannot_answer_within_a_kernel_has_no_growth() -> None:
    variant = Variant.square(6, k=4)
    assert growth_of(NullEvaluator(variant), variant) is None
    assert growth_of(network(variant, "two", scalar_value=True), variant) is None
    other = make_evaluator(fresh_checkpoint(NetworkSpec(options={"blocks": 1, "filters": 8}), variant), variant)
    assert growth_of(other, variant) is None
