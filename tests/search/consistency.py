"""What holds in a search tree when no answer is under way."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.search.trees.search import Search
from gobang.search.trees.tree import EXPANDED, NO_NODE, Trees
from gobang.types import UNDECIDED


def assert_consistent(search: Search) -> None:
    """Visits, chances and totals of the first tree agree, so that no virtual loss is left in it."""
    trees = search._trees
    for node in range(trees.size[0]):
        if trees.state[0, node] != EXPANDED:
            continue
        legal = trees.prior[0, node] >= 0
        assert not trees.edge_visits[0, node][~legal].any()
        if trees.status[0, node] == UNDECIDED:  # simulations that come to a proven node end there
            evaluated = trees.value[0, node] != 0  # a forced move is followed without an evaluation
            assert trees.visits[0, node] == trees.edge_visits[0, node].sum() + evaluated
        assert trees.chances[0, node].sum() == pytest.approx(trees.visits[0, node], rel=1e-4)
        for point in np.flatnonzero(trees.child[0, node] != NO_NODE):
            child = trees.child[0, node, point]
            assert trees.parent[0, child] == node
            assert trees.visits[0, child] == trees.edge_visits[0, node, point]
            if np.isfinite(trees.total[0, node, point]):
                assert trees.total[0, node, point] == pytest.approx(_gains(trees, node, child), abs=1e-3)


def _gains(trees: Trees, node: int, child: int) -> float:
    """Utilities of the mover at a node, of all simulations that went on to the child."""
    chances, mover = trees.chances[0, child], trees.mover[0, node]
    others = chances[:-1].sum() - chances[mover]
    return float(chances[mover] - others / (len(chances) - 2))
