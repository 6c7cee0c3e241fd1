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
    first_of_few,
    first_of_row,
)
from gobang.types import NO_MOVE


@inlined
def add_root(trees: Trees, game: int, mover: int) -> None:
    """Make the first node of a tree, with a row; nothing is freed yet."""
    trees.rows[game] = ROOT_ROW
    trees.freed[game] = trees.freed_rows[game] = 0
    trees.free_node[game], trees.free_row[game] = NO_NODE, NO_ROW
    add_node(trees, game, NO_NODE, NO_MOVE, NO_EDGE, mover)
    trees.row[game, ROOT] = _add_row(trees, game)
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
    """Move the edges of a node to a row; return the first edge of the row."""
    row, first = _add_row(trees, game), first_of_few(trees, node)
    for index in range(FEW):
        _move_edge(trees, game, first + index, row + trees.few_points[game, node, index])
    trees.row[game, node] = row
    return row


@inlined
def _move_edge(trees: Trees, game: int, source: int, target: int) -> None:
    """Copy an edge to another place, to which its child then refers."""
    child = trees.child[game, source]
    trees.edge_visits[game, target] = trees.edge_visits[game, source]
    trees.total[game, target] = trees.total[game, source]
    trees.child[game, target] = child
    if child != NO_NODE:
        trees.edge[game, child] = target


@inlined
def _add_row(trees: Trees, game: int) -> int:
    """Return the first edge of a new row without visits."""
    number = trees.free_row[game]
    if number != NO_ROW:
        trees.free_row[game] = trees.next_row[game, number]
        trees.freed_rows[game] -= 1
    else:
        number = trees.rows[game]
        trees.rows[game] += 1
    row = first_of_row(trees, int(number))
    _clear_row(trees, game, row)
    return row


@inlined
def _clear_row(trees: Trees, game: int, row: int) -> None:
    """Let a row have no edges."""
    end = row + trees.prior.shape[2]
    visits, total, child = trees.edge_visits[game, row:end], trees.total[game, row:end], trees.child[game, row:end]
    for point in range(len(visits)):
        visits[point] = 0
        total[point] = 0.0
        child[point] = NO_NODE


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
        first, count = trees.next_row.shape[1] * points + node * FEW, int(trees.few[game, node])
        targets = trees.few_points[game, node, :count]
    for target, values in zip(found, (trees.edge_visits, trees.total, trees.child), strict=True):
        target[targets] = values[game, first : first + count]
    return found


@inlined
def make_root(trees: Trees, game: int, node: int) -> None:
    """Copy a node to the place of the root, with its edges in the root's row; its children get the root as parent."""
    target = first_of_row(trees, ROOT_ROW)
    _clear_row(trees, game, target)
    first, count = edge_place(trees, game, node)
    for index in range(count):
        point = trees.few_points[game, node, index] if trees.row[game, node] == NO_ROW else index
        _move_edge(trees, game, first + index, target + point)
        child = trees.child[game, target + point]
        if child != NO_NODE:
            trees.parent[game, child] = ROOT
    _copy_node(trees, game, node, ROOT)
    trees.row[game, ROOT] = target


@inlined
def _copy_node(trees: Trees, game: int, source: int, target: int) -> None:
    """Copy what a node holds itself, except its edges and its place in the tree."""
    trees.mover[game, target] = trees.mover[game, source]
    trees.status[game, target] = trees.status[game, source]
    trees.best[game, target] = trees.best[game, source]
    trees.state[game, target] = trees.state[game, source]
    trees.visits[game, target] = trees.visits[game, source]
    trees.value[game, target] = trees.value[game, source]
    for index in range(trees.chances.shape[2]):
        trees.chances[game, target, index] = trees.chances[game, source, index]
    for point in range(trees.prior.shape[2]):
        trees.prior[game, target, point] = trees.prior[game, source, point]


@inlined
def edge_place(trees: Trees, game: int, node: int) -> tuple[int, int]:
    """Return the first place for edges of a node, and how many places lie there; in a row some have no visits."""
    row = int(trees.row[game, node])
    if row != NO_ROW:
        return row, int(trees.prior.shape[2])
    return first_of_few(trees, node), int(trees.few[game, node])


@inlined
def rows_left(trees: Trees, game: int) -> int:
    """Return how many rows can still be made."""
    return int(trees.next_row.shape[1] - trees.rows[game] + trees.freed_rows[game])


@inlined
def free_row_of(trees: Trees, game: int, node: int) -> None:
    """Put a node's row, if it has one, on the list of freed rows."""
    if trees.row[game, node] == NO_ROW:
        return
    row = trees.next_row.shape[1] - 1 - trees.row[game, node] // trees.prior.shape[2]
    trees.next_row[game, row] = trees.free_row[game]
    trees.free_row[game] = row
    trees.freed_rows[game] += 1
