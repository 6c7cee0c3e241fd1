"""Search trees as arrays, and what is backed up in them.

One `Trees` holds the trees of all games.  Shape letters besides those of `gobang.types`:

    M  nodes a tree can hold
    F  edges that a node keeps itself
    R  rows a tree can hold
    E  places for edges in a tree

A node is a position, with a prior for each of the A points of the board, and an edge for each move that was tried.
Those are few: half of all nodes have none, most others one or two.  So a node has places for F edges.  When it gets
another, they move to a row, which has a place for each point; the root has one from the start.  Values on an edge are
utilities of the player to move at its node: +1 for a win, -1 / (P - 1) for another's win, 0 for a draw.

Nodes and rows that are no longer needed are freed: each is the head of a list of those freed before, see `recycling`.

A node whose outcome is known for certain has it as its `status`.  An edge that certainly leads to
another player's win has -infinity as its `total`, so that no formula chooses it.
"""

from __future__ import annotations

from math import prod
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined
from gobang.rules.lanes import LANES, Number, with_room
from gobang.types import NO_MOVE, UNDECIDED, Variant

ROOT: Final = 0
NO_NODE: Final = -1
NO_EDGE: Final = -1
NO_ROW: Final = -1
FEW: Final = 2  # the letter F
_NODES_PER_ROW: Final = 6  # in a tree that is recycled; the trees of a search on 15x15 have a row for 10 to 12 nodes
ROOT_ROW: Final = 0
SPARE_ROW: Final = 1  # without visits and totals between uses, see `edges`
FIRST_ROW: Final = 2  # of other nodes than the root
ILLEGAL: Final = -1.0  # in place of a prior
LOST: Final = -np.inf  # in place of a total
_MANY: Final = 1_000  # nodes
_LARGE: Final = 4 << 20  # bytes

WAITING: Final = 0  # a node that has not been evaluated
BARE: Final = 1  # a node that needs no priors, because its outcome is known
EXPANDED: Final = 2  # a node with priors
FREED: Final = 3  # no node at present


class Trees(NamedTuple):
    """The trees of G games."""

    size: NDArray[np.int32]  # [G] nodes that were made, with those that were freed
    freed: NDArray[np.int32]  # [G] nodes that are free among them
    free_node: NDArray[np.int32]  # [G] the freed node to take next, or NO_NODE
    rows: NDArray[np.int32]  # [G] rows that were made, with those that were freed
    freed_rows: NDArray[np.int32]  # [G] rows that are free among them
    free_row: NDArray[np.int32]  # [G] the freed row to take next, or NO_ROW
    parent: NDArray[np.int32]  # [G, M] node; of a freed node the one to take after it
    point: NDArray[np.int16]  # [G, M] move of the edge that leads here
    edge: NDArray[np.int64]  # [G, M] that edge, or NO_EDGE
    mover: NDArray[np.int8]  # [G, M] player to move
    status: NDArray[np.int8]  # [G, M] proven outcome or UNDECIDED
    best: NDArray[np.int16]  # [G, M] a point that proves the status, or NO_MOVE
    state: NDArray[np.int8]  # [G, M] WAITING, BARE or EXPANDED
    visits: NDArray[np.int32]  # [G, M] simulations that reached the node
    value: NDArray[np.float32]  # [G, M] utility of the mover as the evaluator sees it
    chances: NDArray[np.float32]  # [G, M, P + 1] sum of backed-up chances, by player
    prior: NDArray[np.float32]  # [G, M, A] or ILLEGAL
    row: NDArray[np.int64]  # [G, M] the first edge of its row, or NO_ROW
    few: NDArray[np.int8]  # [G, M] edges that it keeps itself
    few_points: NDArray[np.int16]  # [G, M, F] their moves
    next_row: NDArray[np.int32]  # [G, R] of a freed row the one to take after it
    edge_visits: NDArray[np.int32]  # [G, E] visits of the edge; in a row none where a move was not tried
    total: NDArray[np.float32]  # [G, E] sum of utilities, or LOST
    child: NDArray[np.int32]  # [G, E] node or NO_NODE


def allocate(variant: Variant, games: int, nodes: int, node_visits: int = 1, *, recycles: bool = False) -> Trees:
    """Return empty trees whose edges get a node at their visit number `node_visits`.

    Memory is touched only as nodes and rows are made. If the first visit makes a node, there are fewer edges than
    nodes, and so few nodes that need rows. A tree that recycles may run out of rows.
    """
    rows = FIRST_ROW + (nodes if node_visits > 1 else nodes // (_NODES_PER_ROW if recycles else FEW + 1))
    edges = (games, rows * variant.points + nodes * FEW)
    trees = Trees(
        size=np.zeros(games, np.int32),
        freed=np.zeros(games, np.int32),
        free_node=np.full(games, NO_NODE, np.int32),
        rows=np.zeros(games, np.int32),
        freed_rows=np.zeros(games, np.int32),
        free_row=np.full(games, NO_ROW, np.int32),
        parent=_paged((games, nodes), np.int32),
        point=_paged((games, nodes), np.int16),
        edge=_paged((games, nodes), np.int64),
        mover=_paged((games, nodes), np.int8),
        status=_paged((games, nodes), np.int8),
        best=_paged((games, nodes), np.int16),
        state=_paged((games, nodes), np.int8),
        visits=_paged((games, nodes), np.int32),
        value=_paged((games, nodes), np.float32),
        chances=_paged((games, nodes, variant.players + 1), np.float32),
        prior=with_room((games, nodes, variant.points), np.float32),
        row=_paged((games, nodes), np.int64),
        few=_paged((games, nodes), np.int8),
        few_points=_paged((games, nodes, FEW), np.int16),
        next_row=_paged((games, rows), np.int32),
        edge_visits=_paged(edges, np.int32),
        total=_paged(edges, np.float32),
        child=_paged(edges, np.int32),
    )
    spare = (rows - 1 - SPARE_ROW) * variant.points
    trees.edge_visits[:, spare : spare + variant.points] = 0
    trees.total[:, spare : spare + variant.points] = 0.0
    return trees


def _paged(shape: tuple[int, ...], kind: type[Number]) -> NDArray[Number]:
    """An array like those of `with_room` that takes memory in small pages, where numpy would take 2 MB at a time."""
    count = prod(shape)
    size = (count + LANES) * np.dtype(kind).itemsize
    if size < _LARGE:
        return with_room(shape, kind)
    return np.frombuffer(mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS), kind, count).reshape(shape)


def bytes_per_node(variant: Variant, node_visits: int = 1, *, recycles: bool = False) -> int:
    """Return the memory of one node of many, with its share of the rows."""
    trees = allocate(variant, 1, _MANY, node_visits, recycles=recycles)
    return sum(array.nbytes for array in trees) // _MANY + 1


@inlined
def add_node(trees: Trees, game: int, parent: int, point: int, edge: int, mover: int) -> int:
    """Make a node behind an edge of its parent, waiting for its evaluation; return NO_NODE if the tree is full."""
    node = trees.free_node[game]
    if node != NO_NODE:
        trees.free_node[game] = trees.parent[game, node]
        trees.freed[game] -= 1
    else:
        node = trees.size[game]
        if node == trees.parent.shape[1]:
            return NO_NODE
        trees.size[game] = node + 1
    trees.parent[game, node] = parent
    trees.point[game, node] = point
    trees.edge[game, node] = edge
    trees.mover[game, node] = mover
    trees.status[game, node] = UNDECIDED
    trees.best[game, node] = NO_MOVE
    trees.state[game, node] = WAITING
    trees.visits[game, node] = 0
    trees.value[game, node] = 0.0
    for index in range(trees.chances.shape[2]):
        trees.chances[game, node, index] = 0.0
    trees.row[game, node] = NO_ROW
    trees.few[game, node] = 0
    if edge != NO_EDGE:
        trees.child[game, edge] = node
    return int(node)


@inlined
def nodes_left(trees: Trees, game: int) -> int:
    """Return how many nodes can still be made."""
    return int(trees.parent.shape[1] - trees.size[game] + trees.freed[game])


@inlined
def allow_single_move(trees: Trees, game: int, node: int, point: int) -> None:
    """Give a node one legal move."""
    for other in range(trees.prior.shape[2]):
        trees.prior[game, node, other] = ILLEGAL
    trees.prior[game, node, point] = 1.0
    trees.state[game, node] = EXPANDED


@inlined
def first_of_row(trees: Trees, row: int) -> int:
    """The first edge of a row.

    Rows lie before the edges that nodes keep themselves, the last one first, so that both grow from one place.
    """
    return int((trees.next_row.shape[1] - 1 - row) * trees.prior.shape[2])


@inlined
def first_of_few(trees: Trees, node: int) -> int:
    """The first place of the edges that a node keeps itself."""
    return int(trees.next_row.shape[1] * trees.prior.shape[2] + node * FEW)


@inlined
def edge_at(trees: Trees, game: int, node: int, point: int) -> int:
    """The edge of a node for a move, or NO_EDGE if it was not tried."""
    row = int(trees.row[game, node])
    if row != NO_ROW:
        return row + point if trees.edge_visits[game, row + point] > 0 else NO_EDGE
    for index in range(trees.few[game, node]):
        if trees.few_points[game, node, index] == point:
            return first_of_few(trees, node) + index
    return NO_EDGE


@inlined
def child_at(trees: Trees, game: int, node: int, point: int) -> int:
    """The node that a move leads to, or NO_NODE."""
    edge = edge_at(trees, game, node, point)
    return int(trees.child[game, edge]) if edge != NO_EDGE else NO_NODE


@inlined
def utility(chances: NDArray[np.float32], player: int) -> float:
    """Utility of a player under chances [P + 1] by player, which need not sum to 1."""
    players = len(chances) - 1
    others = 0.0
    for other in range(players):
        if other != player:
            others += chances[other]
    return float(chances[player] - others / (players - 1))


@inlined
def mean_utility(trees: Trees, game: int, node: int) -> float:
    """Mean utility of the mover over what has been backed up through a node."""
    total = 0.0
    for index in range(trees.chances.shape[2]):
        total += trees.chances[game, node, index]
    return utility(trees.chances[game, node], trees.mover[game, node]) / max(total, 1e-9)


@inlined
def back_up(trees: Trees, game: int, node: int, chances: NDArray[np.float32]) -> None:
    """Add chances [P + 1] by player from a node up to the root, in place of the virtual losses."""
    width = len(chances)
    for index in range(width):
        trees.chances[game, node, index] += chances[index]
    while node != ROOT:
        parent = trees.parent[game, node]
        gain = utility(chances, trees.mover[game, parent])
        trees.total[game, trees.edge[game, node]] += np.float32(gain + 1.0)
        for index in range(width):
            trees.chances[game, parent, index] += chances[index]
        node = parent


@inlined
def take_back_visit(trees: Trees, game: int, node: int) -> None:
    """Undo the virtual losses of a descent that ended at a node without an answer."""
    trees.visits[game, node] -= 1
    while node != ROOT:
        parent, edge = trees.parent[game, node], trees.edge[game, node]
        trees.edge_visits[game, edge] -= 1
        trees.total[game, edge] += np.float32(1.0)
        trees.visits[game, parent] -= 1
        node = parent


@inlined
def prove(trees: Trees, game: int, node: int) -> None:
    """Carry a node's proven status up as far as it decides its ancestors."""
    while node != ROOT:
        status = trees.status[game, node]
        parent = trees.parent[game, node]
        if status == trees.mover[game, parent]:
            trees.status[game, parent] = status
            trees.best[game, parent] = trees.point[game, node]
        else:
            if status != trees.chances.shape[2] - 1:
                trees.total[game, trees.edge[game, node]] = np.float32(LOST)
            if not _decided_by_children(trees, game, parent):
                return
        node = parent


@inlined
def _decided_by_children(trees: Trees, game: int, node: int) -> bool:
    """Decide a node whose every move is proven not to win: a draw if there is one, else a loss.

    With three players and more, moves that lose to different winners leave it undecided.  So does a
    forced block that loses to another than the next player, who would win after any other move.
    """
    draw = trees.chances.shape[2] - 1
    drawing_point = NO_MOVE
    winner = UNDECIDED
    several_winners = False
    moves = 0
    for point in range(trees.prior.shape[2]):
        if trees.prior[game, node, point] < 0.0:
            continue
        moves += 1
        child = child_at(trees, game, node, point)
        if child == NO_NODE or trees.status[game, child] == UNDECIDED:
            return False
        status = trees.status[game, child]
        if status == draw:
            drawing_point = point
        else:
            several_winners |= winner != UNDECIDED and winner != status
            winner = status
    players = trees.chances.shape[2] - 1
    if players > 2 and moves == 1:
        several_winners = winner != (trees.mover[game, node] + 1) % players
    if drawing_point != NO_MOVE:
        trees.status[game, node] = draw
        trees.best[game, node] = drawing_point
    elif not several_winners:
        trees.status[game, node] = winner
    return drawing_point != NO_MOVE or not several_winners
