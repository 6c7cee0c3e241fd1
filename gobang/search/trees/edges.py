"""The edges of nodes: how they are made, and how they are laid out by point for what reads them all.

Formulas over all moves read rows, which have a place for each point.  The few edges of a node without a row are
written to the spare row before, and taken away afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined
from gobang.search.trees.tree import (
    FEW,
    FIRST_ROW,
    NO_EDGE,
    NO_NODE,
    NO_ROW,
    ROOT,
    ROOT_ROW,
    SPARE_ROW,
    Trees,
    add_node,
    edge_at,
    first_of_few,
    first_of_row,
)
from gobang.types import NO_MOVE


@inlined
def add_root(trees: Trees, game: int, mover: int) -> None:
    """The first node of a tree, with a row."""
    trees.rows[game] = ROOT_ROW
    add_node(trees, game, NO_NODE, NO_MOVE, NO_EDGE, mover)
    trees.row[game, ROOT] = _add_row(trees, game, ROOT)
    trees.rows[game] = FIRST_ROW


@inlined
def edge_for(trees: Trees, game: int, node: int, point: int) -> int:
    """The edge of a node for a move, made if the move was not tried; its first visit is the caller's to count."""
    if trees.row[game, node] != NO_ROW:
        return int(trees.row[game, node] + point)
    first, few = first_of_few(trees, node), int(trees.few[game, node])
    for index in range(few):
        if trees.few_points[game, node, index] == point:
            return first + index
    if few == FEW:
        return _widen(trees, game, node) + point
    trees.few_points[game, node, few] = point
    trees.few[game, node] = few + 1
    trees.edge_visits[game, first + few] = 0
    trees.total[game, first + few] = 0.0
    trees.child[game, first + few] = NO_NODE
    return first + few


@inlined
def _widen(trees: Trees, game: int, node: int) -> int:
    """Move the edges of a node to a row; the first edge of that."""
    row, first = _add_row(trees, game, node), first_of_few(trees, node)
    for index in range(FEW):
        edge = row + trees.few_points[game, node, index]
        child = trees.child[game, first + index]
        trees.edge_visits[game, edge] = trees.edge_visits[game, first + index]
        trees.total[game, edge] = trees.total[game, first + index]
        trees.child[game, edge] = child
        if child != NO_NODE:
            trees.edge[game, child] = edge
    trees.row[game, node] = row
    return row


@inlined
def _add_row(trees: Trees, game: int, node: int) -> int:
    """The first edge of a new row without visits."""
    row = first_of_row(trees, int(trees.rows[game]))
    trees.owner[game, trees.rows[game]] = node
    trees.rows[game] += 1
    end = row + trees.prior.shape[2]
    visits, total, child = trees.edge_visits[game, row:end], trees.total[game, row:end], trees.child[game, row:end]
    for point in range(len(visits)):
        visits[point] = 0
        total[point] = 0.0
        child[point] = NO_NODE
    return row


@inlined
def lay_out(trees: Trees, game: int, node: int) -> int:
    """The first of a node's edges by point: of its own row, or of the spare one with its visits and totals."""
    row = int(trees.row[game, node])
    if row == NO_ROW:
        row = first_of_row(trees, SPARE_ROW)
        first = first_of_few(trees, node)
        for index in range(trees.few[game, node]):
            edge = row + trees.few_points[game, node, index]
            trees.edge_visits[game, edge] = trees.edge_visits[game, first + index]
            trees.total[game, edge] = trees.total[game, first + index]
    return row


@inlined
def take_away(trees: Trees, game: int, node: int) -> None:
    """Undo `lay_out`."""
    if trees.row[game, node] == NO_ROW:
        row = first_of_row(trees, SPARE_ROW)
        for index in range(trees.few[game, node]):
            edge = row + trees.few_points[game, node, index]
            trees.edge_visits[game, edge] = 0
            trees.total[game, edge] = 0.0


@inlined
def row_of_root(trees: Trees) -> tuple[int, int]:
    """The first of the root's edges by point, and the end of them."""
    first = first_of_row(trees, ROOT_ROW)
    return first, first + trees.prior.shape[2]


class EdgesByPoint(NamedTuple):
    """A node's edges, for Python."""

    visits: NDArray[np.int32]  # [A]
    totals: NDArray[np.float32]  # [A]
    children: NDArray[np.int32]  # [A] node or NO_NODE


def edges_by_point(trees: Trees, game: int, node: int) -> EdgesByPoint:
    """A copy of a node's edges; no visits where there is none, nor in a tree that is empty."""
    points = trees.prior.shape[2]
    found = EdgesByPoint(np.zeros(points, np.int32), np.zeros(points, np.float32), np.full(points, NO_NODE, np.int32))
    if node >= trees.size[game]:
        return found
    first, count = int(trees.row[game, node]), points
    targets: NDArray[np.int16] | slice = slice(points)
    if first == NO_ROW:
        first, count = trees.owner.shape[1] * points + node * FEW, int(trees.few[game, node])
        targets = trees.few_points[game, node, :count]
    for target, values in zip(found, (trees.edge_visits, trees.total, trees.child), strict=True):
        target[targets] = values[game, first : first + count]
    return found


@inlined
def make_root(trees: Trees, game: int, node: int) -> None:
    """Let the root's row hold the edges of another node, which will be the root."""
    source, target = lay_out(trees, game, node), first_of_row(trees, ROOT_ROW)
    _copy_row(trees, game, source, target)
    take_away(trees, game, node)
    trees.row[game, node] = target


@inlined
def keep_rows(trees: Trees, game: int, moved: NDArray[np.int32]) -> None:
    """Move rows to the front, after their nodes have moved to `moved` [M], or are gone where that is NO_NODE."""
    rows = FIRST_ROW
    for row in range(FIRST_ROW, trees.rows[game]):
        node, source = moved[trees.owner[game, row]], first_of_row(trees, row)
        if node == NO_NODE or trees.row[game, node] != source:
            continue
        target = first_of_row(trees, rows)
        _copy_row(trees, game, source, target)
        trees.owner[game, rows] = node
        trees.row[game, node] = target
        rows += 1
    trees.rows[game] = rows


@inlined
def _copy_row(trees: Trees, game: int, source: int, target: int) -> None:
    """Copy a row to another place or the same one; its edges lead to no nodes until they are linked."""
    for point in range(trees.prior.shape[2]):
        trees.edge_visits[game, target + point] = trees.edge_visits[game, source + point]
        trees.total[game, target + point] = trees.total[game, source + point]
        trees.child[game, target + point] = NO_NODE


@inlined
def link_nodes(trees: Trees, game: int) -> None:
    """Let each edge that has a node lead to it, after nodes and rows have moved."""
    for node in range(1, trees.size[game]):
        edge = edge_at(trees, game, int(trees.parent[game, node]), int(trees.point[game, node]))
        trees.edge[game, node] = edge
        trees.child[game, edge] = node
