"""Edges of nodes: few ones, rows, and what is kept of both when a tree goes on."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.rules.compiled import kernel
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.edges import add_root, edge_for, edges_by_point
from gobang.search.trees.roots import follow
from gobang.search.trees.search import Search
from gobang.search.trees.tree import EXPANDED, FEW, NO_NODE, NO_ROW, ROOT, Trees, add_node, allocate, bytes_per_node
from gobang.types import Variant
from tests.search.consistency import assert_consistent
from tests.search.evaluators import HashedEvaluator

VARIANT = Variant.square(5, k=4)

# Of each move: visits, total, and of its node: visits, status, value, chances, priors and edges.
Subtree = dict[int, tuple[object, ...]]


@kernel
def plant(trees):  # type: ignore[no-untyped-def]
    add_root(trees, 0, 0)


@kernel
def visit(trees, node, point, total, has_node):  # type: ignore[no-untyped-def]
    edge = edge_for(trees, 0, node, point)
    trees.edge_visits[0, edge] += 1
    trees.total[0, edge] += total
    return add_node(trees, 0, node, point, edge, 1) if has_node else edge


@pytest.mark.parametrize("points", [[7], [24, 0], [24, 0, 7], list(range(25))])
def test_a_node_keeps_its_edges_when_it_gets_a_row(points: list[int]) -> None:
    trees = allocate(VARIANT, 1, 40, 2)
    plant(trees)
    node = visit(trees, ROOT, 6, 0.5, True)
    children = {point: visit(trees, node, point, float(point), True) for point in points[::2]}
    for point in points:
        visit(trees, node, point, 0.25, False)
    edges = edges_by_point(trees, 0, node)
    assert (trees.row[0, node] != NO_ROW) == (len(points) > FEW)
    assert np.flatnonzero(edges.visits).tolist() == sorted(points)
    for point in points:
        assert edges.visits[point] == 1 + (point in children)
        assert edges.totals[point] == 0.25 + (point if point in children else 0)
        child = children.get(point, NO_NODE)
        assert edges.children[point] == child
        assert child == NO_NODE or trees.child[0, trees.edge[0, child]] == child
    assert np.flatnonzero(edges_by_point(trees, 0, ROOT).visits).tolist() == [6]


def subtree(trees: Trees, node: int) -> Subtree:
    edges = edges_by_point(trees, 0, node)
    return {
        int(point): (int(edges.visits[point]), float(edges.totals[point]), *of_node(trees, int(edges.children[point])))
        for point in np.flatnonzero(edges.visits)
    }


def of_node(trees: Trees, node: int) -> tuple[object, ...]:
    if node == NO_NODE:
        return ()
    arrays = (trees.visits, trees.status, trees.state, trees.best, trees.value, trees.chances)
    own = [np.asarray(array[0, node]).tolist() for array in arrays]
    return (*own, trees.prior[0, node].tolist() if trees.state[0, node] == EXPANDED else None, subtree(trees, node))


@pytest.mark.parametrize("algorithm", ["puct", "ucb1"])
@pytest.mark.parametrize("players", [2, 3])
def test_a_tree_that_goes_on_keeps_exactly_the_edges_of_its_part(algorithm: str, players: int) -> None:
    variant = Variant.square(5, k=4, players=players)
    config = SearchConfig(simulations=500, algorithm=algorithm, reuse=True, solver_nodes=0)
    search = Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(0))
    rng = np.random.default_rng(7)
    position, kept = Position(variant), 0
    for _ in range(8):
        search.run([position])
        edges = edges_by_point(search._trees, 0, ROOT)
        move = int(rng.choice(np.flatnonzero(edges.visits)))  # rarely searched ones as well, which have no row
        expected = subtree(search._trees, int(edges.children[move]))
        if follow(search._forest, 0, np.array([move], np.int16)):
            assert subtree(search._trees, ROOT) == expected
            assert search._roots.done[0] == sum(edge[0] for edge in expected.values())  # type: ignore[misc]
            kept += 1
            assert_consistent(search)
        position.play(move)
        if position.outcome >= 0:
            break
    assert kept >= 3


@pytest.mark.parametrize("algorithm", ["puct", "ucb1", "prior"])
@pytest.mark.parametrize("nodes", [2, 7, 60, 400])
def test_a_full_tree_has_had_rows_enough(algorithm: str, nodes: int) -> None:
    config = SearchConfig(simulations=5000, algorithm=algorithm, reuse=True, solver=False)
    search = Search(VARIANT, config, HashedEvaluator(VARIANT), rng=np.random.default_rng(0), nodes=nodes)
    position = Position(VARIANT)
    for _ in range(4):
        move = int(search.run([position]).moves[0])
        assert search._trees.size[0] <= nodes
        assert search._trees.rows[0] <= search._trees.next_row.shape[1]
        assert_consistent(search)
        position.play(move)


def test_a_node_of_a_large_board_costs_little_more_than_half_of_what_all_its_edges_would() -> None:
    variant = Variant.square(15)
    assert bytes_per_node(variant) < 0.55 * 16 * variant.points
    assert bytes_per_node(variant, 2) > 16 * variant.points  # where most nodes may get a row
