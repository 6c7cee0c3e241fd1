"""What holds in a search tree when no answer is under way."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gobang.search.trees.edges import edges_by_point
from gobang.search.trees.search import Search
from gobang.search.trees.tree import EXPANDED, FREED, NO_NODE, NO_ROW, ROOT, SPARE_ROW, Trees
from gobang.types import UNDECIDED


def assert_consistent(search: Search) -> None:
    """Visits, chances and totals of the first tree agree, so that no virtual loss is left in it."""
    trees = search._trees
    _assert_spare_row_is_clear(trees)
    _assert_all_is_used_or_free(trees)
    for node in range(trees.size[0]):
        if trees.state[0, node] != EXPANDED:
            continue
        legal, edges = trees.prior[0, node] >= 0, edges_by_point(trees, 0, node)
        assert not edges.visits[~legal].any()
        if trees.status[0, node] == UNDECIDED:  # simulations that come to a proven node end there
            evaluated = trees.value[0, node] != 0  # a forced move is followed without an evaluation
            assert trees.visits[0, node] == edges.visits.sum() + evaluated
        assert trees.chances[0, node].sum() == pytest.approx(trees.visits[0, node], rel=1e-4)
        for point in np.flatnonzero(edges.children != NO_NODE):
            child = edges.children[point]
            assert (trees.parent[0, child], trees.point[0, child]) == (node, point)
            assert trees.child[0, trees.edge[0, child]] == child
            is_new = search._forest.recycles and trees.visits[0, child] < edges.visits[point]  # made again
            assert is_new or trees.visits[0, child] == edges.visits[point]
            if np.isfinite(edges.totals[point]) and not is_new:
                assert edges.totals[point] == pytest.approx(_gains(trees, node, child), rel=1e-4, abs=1e-3)


def _assert_all_is_used_or_free(trees: Trees) -> None:
    """Each node is reached once or freed once, and each row too."""
    reached, rows, waiting = [], [], [ROOT] * bool(trees.size[0])
    while waiting:
        node = waiting.pop()
        reached.append(node)
        rows += [int(trees.row[0, node])] * bool(trees.row[0, node] != NO_ROW)
        waiting += [int(child) for child in edges_by_point(trees, 0, node).children if child != NO_NODE]
    freed = _listed(int(trees.free_node[0]), trees.parent[0], int(trees.freed[0]))
    assert sorted(reached + freed) == list(range(trees.size[0]))
    assert all(trees.state[0, node] == FREED for node in freed)
    last, points = trees.next_row.shape[1] - 1, trees.prior.shape[2]
    freed_rows = _listed(int(trees.free_row[0]), trees.next_row[0], int(trees.freed_rows[0]))
    used_rows = [last - first // points for first in rows]
    assert sorted([SPARE_ROW, *used_rows, *freed_rows]) == list(range(trees.rows[0]))


def _listed(head: int, following: NDArray[np.int32], count: int) -> list[int]:
    """The items of a list that begins with a head, and has so many."""
    items = []
    for _ in range(count):
        items.append(head)
        head = int(following[head])
    assert head == NO_NODE
    return items


def _assert_spare_row_is_clear(trees: Trees) -> None:
    points = trees.prior.shape[2]
    first = (trees.next_row.shape[1] - 1 - SPARE_ROW) * points
    assert not trees.edge_visits[:, first : first + points].any()
    assert not trees.total[:, first : first + points].any()


def _gains(trees: Trees, node: int, child: int) -> float:
    """Utilities of the mover at a node, of all simulations that went on to the child."""
    chances, mover = trees.chances[0, child], trees.mover[0, node]
    others = chances[:-1].sum() - chances[mover]
    return float(chances[mover] - others / (len(chances) - 2))
