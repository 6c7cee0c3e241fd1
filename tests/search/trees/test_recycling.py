"""A full tree frees the nodes that matter least, and the search goes on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gobang.rules.compiled import kernel
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.edges import edges_by_point
from gobang.search.trees.forest import Forest
from gobang.search.trees.recycling import FEWEST_NODES, recycle
from gobang.search.trees.search import Search
from gobang.search.trees.tree import FREED, NO_NODE, NO_ROW, ROOT, WAITING, nodes_left
from gobang.types import UNDECIDED, Variant
from tests.search.consistency import assert_consistent
from tests.search.evaluators import HashedEvaluator, LateEvaluator

VARIANT = Variant.square(5, k=4)
OPEN = Variant.square(6)


@kernel
def run_recycle(forest):  # type: ignore[no-untyped-def]
    recycle(forest, 0)
    return nodes_left(forest.trees, 0)


def small(variant: Variant, *, nodes: int, questions: int = 1, **options: object) -> Search:
    config = SearchConfig(**{"simulations": 20_000, "solver_nodes": 0, **options})  # type: ignore[arg-type]
    evaluator = LateEvaluator(HashedEvaluator(variant))
    return Search(variant, config, evaluator, rng=np.random.default_rng(0), nodes=nodes, questions=questions)


def rank(visits: int) -> int:
    return visits if visits < 64 else 64 + int(8 * math.log2(visits / 64))


def plain_kept(forest: Forest) -> set[int]:
    """The nodes that stay, by the description in the module."""
    trees = forest.trees
    most_nodes, most_rows = trees.parent.shape[1], trees.next_row.shape[1]
    alive = [node for node in range(trees.size[0]) if trees.state[0, node] != FREED]
    ranks = {}
    for node in alive:
        parent = int(trees.parent[0, node])
        is_proof = node != ROOT and trees.status[0, node] != UNDECIDED and trees.status[0, parent] == UNDECIDED
        ranks[node] = rank(int(trees.visits[0, parent if is_proof else node]))
    for least in range(1000):
        kept = {node for node in alive if node == ROOT or ranks[node] >= least}
        rows = 1 + sum(trees.row[0, node] != NO_ROW for node in kept)
        if 4 * (most_nodes - len(kept)) >= most_nodes and 4 * (most_rows - rows) >= most_rows:
            break
    node = ROOT
    while node != NO_NODE:
        kept.add(node)
        edges = edges_by_point(trees, 0, node)
        node = int(edges.children[np.argmax(edges.visits)])
    for node in alive:
        if trees.state[0, node] == WAITING:
            while node != ROOT:
                kept.add(node)
                node = int(trees.parent[0, node])
    return kept


@pytest.mark.parametrize("questions", [1, 3])
@pytest.mark.parametrize("variant", [VARIANT, OPEN, Variant.square(5, k=4, players=3)], ids=str)
def test_a_recycling_keeps_what_its_plain_twin_keeps(variant: Variant, questions: int) -> None:
    search = small(variant, nodes=900, questions=questions, simulations=1000, leaves=4)
    search.begin([Position(variant)])
    trees = search._trees
    for _ in range(4):
        for _ in range(40):
            search.step()
        expected = plain_kept(search._forest)
        before, edges = search.ranking(), edges_by_point(trees, 0, ROOT)
        left = run_recycle(search._forest)
        assert {node for node in range(trees.size[0]) if trees.state[0, node] != FREED} == expected
        assert left == trees.parent.shape[1] - len(expected) >= trees.parent.shape[1] // 4
        after = edges_by_point(trees, 0, ROOT)
        np.testing.assert_array_equal(after.visits, edges.visits)
        np.testing.assert_array_equal(after.totals, edges.totals)
        assert search.ranking() == before
    while search.step():
        pass
    assert_consistent(search)


@pytest.mark.parametrize("nodes", [FEWEST_NODES, 1000])
@pytest.mark.parametrize("algorithm", ["puct", "ucb1", "prior"])
@pytest.mark.parametrize(("questions", "leaves"), [(1, 1), (3, 8)])
def test_a_search_makes_all_its_simulations_in_a_small_tree(
    nodes: int, algorithm: str, questions: int, leaves: int
) -> None:
    search = small(OPEN, nodes=nodes, questions=questions, algorithm=algorithm, leaves=leaves, simulations=6000)
    result = search.run([Position(OPEN, [14])])
    assert result.proven[0] == UNDECIDED
    assert result.visits.sum() == search.simulations_done() == 6000
    assert_consistent(search)


@pytest.mark.parametrize("players", [2, 3])
def test_a_tree_that_was_recycled_goes_on_with_the_game(players: int) -> None:
    variant = Variant.square(6, players=players)
    search = small(variant, nodes=700, reuse=True, simulations=2500)
    position, kept = Position(variant), 0
    for _ in range(8):
        search.begin([position])
        kept += search.simulations_done() > 0
        while search.step():
            pass
        assert_consistent(search)
        assert search.simulations_done() == 2500 or search.result().proven[0] != UNDECIDED
        position.play(search.move)
    assert kept == 7


def test_wins_are_proven_in_a_small_tree_too() -> None:
    """Black wins by search, since the solver is off; a tree that is never full proves the same."""
    variant = Variant.square(5, k=3)
    position = Position(variant, [12, 0])
    for nodes in (None, 200):
        search = small(variant, nodes=nodes or 30_000, simulations=20_000)
        assert search._forest.recycles == (nodes is not None)
        assert search.run([position]).proven[0] == 0


def test_a_search_whose_tree_holds_all_does_not_recycle() -> None:
    for options in ({"nodes": 1127}, {"nodes": None}, {"nodes": FEWEST_NODES - 1}, {"algorithm": "gumbel"}):
        search = small(VARIANT, **{"nodes": 500, "simulations": 1000, **options})  # type: ignore[arg-type]
        assert not search._forest.recycles
    assert small(VARIANT, nodes=1126, simulations=1000)._forest.recycles
