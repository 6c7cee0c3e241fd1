"""Free nodes of a tree: those outside a subtree when a game goes on, and those that matter least in a full tree.

A freed node goes to a list from which `add_node` takes the next one, and its row to another.  No other node moves, so
answers may be under way meanwhile.  The edge to a freed node keeps its visits and its total: a simulation that follows
the edge again makes the node anew.

A full tree frees the nodes with the fewest visits until a quarter of all nodes and of all rows is free.  These nodes
stay: nodes on the way to an answer, the most visited line, and proven children of nodes that are not proven, without
which no proof of the parent could be completed.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined
from gobang.search.trees.edges import edge_place, free_row_of, make_root, rows_left
from gobang.search.trees.forest import EXACT_RANKS, RANKS, Forest
from gobang.search.trees.tree import (
    FREED,
    NO_EDGE,
    NO_NODE,
    NO_ROW,
    ROOT,
    WAITING,
    Trees,
    nodes_left,
)
from gobang.types import NO_MOVE, UNDECIDED

FEWEST_NODES: Final = 128  # of a tree that is recycled
_LOW: Final = 16  # nodes left, below which a tree counts as full: one simulation may make several
_PARTS: Final = 4  # of the nodes and of the rows one part is free afterwards

_GONE: Final = 0  # marks of nodes
_KEPT: Final = 1
_UNKNOWN: Final = 2


@inlined
def make_room(forest: Forest, game: int) -> bool:
    """Recycle a tree that is full; return True if it has room for a simulation."""
    trees = forest.trees
    if not forest.recycles or _has_room(trees, game, _LOW):
        return True
    recycle(forest, game)
    return _has_room(trees, game, 1)


@inlined
def _has_room(trees: Trees, game: int, nodes: int) -> bool:
    """Return True if there are at least `nodes` nodes and a row to take."""
    return nodes_left(trees, game) >= nodes and rows_left(trees, game) > 0


@inlined
def recycle(forest: Forest, game: int) -> None:
    """Free the nodes with the fewest visits."""
    trees, marks = forest.trees, forest.marks
    least = _least_rank(trees, game, forest.ranks)
    for node in range(trees.size[game]):
        is_kept = trees.state[game, node] != FREED and _rank(trees, game, node) >= least
        marks[node] = _KEPT if is_kept else _GONE
    for node in range(trees.size[game]):
        if trees.state[game, node] == WAITING:
            _keep_path(trees, game, node, marks)
    _keep_line(trees, game, marks)
    _free_others(trees, game, marks)


@inlined
def keep_subtree(forest: Forest, game: int, root: int) -> None:
    """Make a node the root, and free all nodes that are not below it."""
    trees, marks = forest.trees, forest.marks
    _mark_subtree(trees, game, root, marks)
    _free_others(trees, game, marks)
    make_root(trees, game, root)
    _free_node(trees, game, root)
    trees.parent[game, ROOT] = NO_NODE
    trees.point[game, ROOT] = NO_MOVE
    trees.edge[game, ROOT] = NO_EDGE


@inlined
def _mark_subtree(trees: Trees, game: int, root: int, marks: NDArray[np.int8]) -> None:
    """Mark a node and all below it: walk up from each node to one that is marked, then mark the way."""
    for node in range(trees.size[game]):
        marks[node] = _GONE if trees.state[game, node] == FREED else _UNKNOWN
    marks[ROOT] = _GONE
    marks[root] = _KEPT
    for node in range(trees.size[game]):
        top = node
        while marks[top] == _UNKNOWN:
            top = trees.parent[game, top]
        found, top = marks[top], node
        while marks[top] == _UNKNOWN:
            marks[top] = found
            top = trees.parent[game, top]


@inlined
def _least_rank(trees: Trees, game: int, ranks: NDArray[np.int32]) -> int:
    """Return the lowest rank that is kept, such that enough nodes and rows are free; `ranks` [2, RANKS] is scratch."""
    ranks[:] = 0
    for node in range(1, trees.size[game]):
        if trees.state[game, node] != FREED:
            rank = _rank(trees, game, node)
            ranks[0, rank] += 1
            ranks[1, rank] += trees.row[game, node] != NO_ROW
    nodes, rows = nodes_left(trees, game), rows_left(trees, game)
    most_nodes, most_rows = trees.parent.shape[1], trees.next_row.shape[1]
    for rank in range(RANKS):
        if _PARTS * nodes >= most_nodes and _PARTS * rows >= most_rows:
            return rank
        nodes += ranks[0, rank]
        rows += ranks[1, rank]
    return RANKS


@inlined
def _rank(trees: Trees, game: int, node: int) -> int:
    """Return the rank of a node by its visits; a proven child of an open node ranks as its parent does.

    No node ranks above its parent, so the nodes of a rank and above are a tree.
    """
    judged = node
    if node != ROOT and trees.status[game, node] != UNDECIDED:
        parent = trees.parent[game, node]
        if trees.status[game, parent] == UNDECIDED:
            judged = parent
    visits = int(trees.visits[game, judged])
    if visits < EXACT_RANKS:
        return visits
    return EXACT_RANKS + int(8.0 * math.log2(visits / EXACT_RANKS))


@inlined
def _keep_path(trees: Trees, game: int, node: int, marks: NDArray[np.int8]) -> None:
    """Keep a node and all above it."""
    while marks[node] != _KEPT:
        marks[node] = _KEPT
        if node != ROOT:
            node = trees.parent[game, node]


@inlined
def _keep_line(trees: Trees, game: int, marks: NDArray[np.int8]) -> None:
    """Keep the line of the most visited moves from the root on."""
    node = ROOT
    while node != NO_NODE:
        marks[node] = _KEPT
        node = _most_visited_child(trees, game, node)


@inlined
def _most_visited_child(trees: Trees, game: int, node: int) -> int:
    """Return the node behind the edge with the most visits, or NO_NODE."""
    first, count = edge_place(trees, game, node)
    most, child = 0, NO_NODE
    for edge in range(first, first + count):
        if trees.edge_visits[game, edge] > most:
            most, child = trees.edge_visits[game, edge], trees.child[game, edge]
    return int(child)


@inlined
def _free_others(trees: Trees, game: int, marks: NDArray[np.int8]) -> None:
    """Free all nodes except the root and those marked as kept; the lowest number will be taken first."""
    for node in range(trees.size[game] - 1, ROOT, -1):
        if marks[node] == _KEPT or trees.state[game, node] == FREED:
            continue
        if marks[trees.parent[game, node]] == _KEPT:
            trees.child[game, trees.edge[game, node]] = NO_NODE
        _free_node(trees, game, node)


@inlined
def _free_node(trees: Trees, game: int, node: int) -> None:
    """Put a node on the list of freed ones, and its row on theirs."""
    free_row_of(trees, game, node)
    trees.state[game, node] = FREED
    trees.parent[game, node] = trees.free_node[game]
    trees.free_node[game] = node
    trees.freed[game] += 1
