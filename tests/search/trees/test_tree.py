"""Back-up and proof on hand-made trees."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.rules.compiled import kernel
from gobang.search.trees.edges import add_root, edge_for, edges_by_point
from gobang.search.trees.tree import (
    EXPANDED,
    LOST,
    NO_NODE,
    ROOT,
    Trees,
    add_node,
    allocate,
    back_up,
    prove,
)
from gobang.types import UNDECIDED, Variant


@kernel
def run_plant(trees):  # type: ignore[no-untyped-def]
    add_root(trees, 0, 0)


@kernel
def run_add(trees, parent, point, mover):  # type: ignore[no-untyped-def]
    edge = edge_for(trees, 0, parent, point)
    trees.edge_visits[0, edge] += 1
    return add_node(trees, 0, parent, point, edge, mover)


@kernel
def run_back_up(trees, node, outcome):  # type: ignore[no-untyped-def]
    back_up(trees, 0, node, outcome)


@kernel
def run_prove(trees, node):  # type: ignore[no-untyped-def]
    prove(trees, 0, node)


def tree(players: int, shape: dict[int, list[int]]) -> Trees:
    """Nodes numbered in order; `shape` lists the children of each, which follow as moves 0, 1, ..."""
    trees = allocate(Variant(height=3, width=3, k=3, players=players), 1, 20)
    for array in trees:
        array[:] = 0
    trees.prior[:] = -1
    run_plant(trees)
    for parent, children in sorted(shape.items()):
        trees.state[0, parent] = EXPANDED
        for point, child in enumerate(children):
            assert run_add(trees, parent, point, (trees.mover[0, parent] + 1) % players) == child
            trees.prior[0, parent, point] = 1 / len(children)
    return trees


def decide(trees: Trees, node: int, outcome: int) -> None:
    trees.status[0, node] = outcome
    run_prove(trees, node)


def test_a_full_tree_gives_no_node() -> None:
    trees = allocate(Variant(height=3, width=3, k=3), 1, 1)
    run_plant(trees)
    assert trees.size[0] == 1
    assert run_add(trees, ROOT, 4, 1) == NO_NODE


def test_back_up_gives_each_mover_its_own_utility() -> None:
    trees = tree(3, {0: [1], 1: [2], 2: [3]})
    run_back_up(trees, 3, np.array([0.5, 0.2, 0.1, 0.2], np.float32))
    for node, utility in ((0, 0.5 - 0.3 / 2), (1, 0.2 - 0.6 / 2), (2, 0.1 - 0.7 / 2)):
        assert edges_by_point(trees, 0, node).totals[0] == pytest.approx(
            1 + utility, abs=1e-6
        )  # the 1 cancels a virtual loss
        assert trees.chances[0, node].sum() == pytest.approx(1)


def test_one_winning_move_proves_a_win() -> None:
    trees = tree(2, {0: [1, 2], 2: [3, 4]})
    decide(trees, 2, 0)
    assert (trees.status[0, ROOT], trees.best[0, ROOT]) == (0, 1)


def test_only_all_moves_prove_a_loss() -> None:
    trees = tree(2, {0: [1, 2]})
    decide(trees, 1, 1)
    assert trees.status[0, ROOT] == UNDECIDED
    assert edges_by_point(trees, 0, ROOT).totals[0] == LOST
    decide(trees, 2, 1)
    assert trees.status[0, ROOT] == 1


def test_a_draw_is_better_than_a_loss() -> None:
    trees = tree(2, {0: [1, 2, 3]})
    for node, outcome in ((1, 1), (2, 2), (3, 1)):
        decide(trees, node, outcome)
    assert (trees.status[0, ROOT], trees.best[0, ROOT]) == (2, 1)
    assert edges_by_point(trees, 0, ROOT).totals[1] == 0


def test_proof_rises_over_two_levels() -> None:
    trees = tree(2, {0: [1, 2], 1: [3, 4]})
    decide(trees, 3, 0)
    decide(trees, 4, 0)
    assert trees.status[0, 1] == 0
    assert trees.status[0, ROOT] == 0


def test_losing_to_different_winners_proves_nothing() -> None:
    trees = tree(3, {0: [1, 2]})
    decide(trees, 1, 1)
    decide(trees, 2, 2)
    assert trees.status[0, ROOT] == UNDECIDED
    again = tree(3, {0: [1, 2]})
    decide(again, 1, 2)
    decide(again, 2, 2)
    assert again.status[0, ROOT] == 2


def test_a_draw_outweighs_different_winners() -> None:
    trees = tree(3, {0: [1, 2, 3]})
    for node, outcome in ((1, 1), (2, 2), (3, 3)):
        decide(trees, node, outcome)
    assert trees.status[0, ROOT] == 3
