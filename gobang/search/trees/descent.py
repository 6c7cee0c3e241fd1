"""A simulation's way through a tree: down the selection, a new node at its end, the outcome back up.

    start      put a root's position at a place of the leaves
    descend    follow the selection from there until the simulation ends: in a node whose outcome is
               known, in one that waits for its evaluation, or at an edge that gets no node yet
    settle     back up a known outcome
    open_node  give an evaluated node its priors

A search differs from another in how it evaluates what waits.  Shape letter besides those of
`gobang.types`:  B  places for leaves
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import legal_moves, outcome_after
from gobang.rules.compiled import inlined
from gobang.rules.geometry import Geometry
from gobang.search.threats.tactics import FORCED, NOTHING, WIN, solve
from gobang.search.trees.edges import add_root, edge_for
from gobang.search.trees.forest import Forest
from gobang.search.trees.selection import select
from gobang.search.trees.tree import (
    BARE,
    EXPANDED,
    NO_NODE,
    ROOT,
    WAITING,
    Trees,
    add_node,
    allow_single_move,
    back_up,
    nodes_left,
    prove,
)
from gobang.types import UNDECIDED, Variant


class Leaves(NamedTuple):
    """Positions that descents have reached, each at its place."""

    cells: NDArray[np.int8]  # [B, A]
    to_move: NDArray[np.int8]  # [B]
    last_moves: NDArray[np.int16]  # [B, M] the latest first
    key: NDArray[np.uint64]  # [B]
    game: NDArray[np.int32]  # [B]
    node: NDArray[np.int32]  # [B] the node of the position, or that of the edge which leads to it


def allocate_leaves(variant: Variant, places: int) -> Leaves:
    """Room for B leaves."""
    return Leaves(
        cells=np.zeros((places, variant.points), np.int8),
        to_move=np.zeros(places, np.int8),
        last_moves=np.zeros((places, variant.moves_shown), np.int16),
        key=np.zeros(places, np.uint64),
        game=np.zeros(places, np.int32),
        node=np.zeros(places, np.int32),
    )


# Where a descent ends.
AT_DECIDED: Final = 0  # at a node whose outcome is known
AT_WAITING: Final = 1  # at a node that waits for its evaluation
AT_EDGE: Final = 2  # behind an edge that gets no node yet


@inlined
def start(forest: Forest, leaves: Leaves, place: int, game: int) -> None:
    """Put the position of a game's root at a place."""
    roots = forest.roots
    for point in range(roots.cells.shape[1]):
        leaves.cells[place, point] = roots.cells[game, point]
    leaves.to_move[place] = roots.to_move[game]
    for index in range(roots.last_moves.shape[1]):
        leaves.last_moves[place, index] = roots.last_moves[game, index]
    leaves.key[place] = roots.key[game]
    leaves.game[place] = game
    leaves.node[place] = ROOT


@inlined
def plant(forest: Forest, leaves: Leaves, place: int, game: int) -> None:
    """Make a game's root; it waits for an evaluation unless tactics settle it."""
    start(forest, leaves, place, game)
    add_root(forest.trees, game, int(forest.roots.to_move[game]))
    apply_tactics(forest, leaves, place, ROOT)


@inlined
def descend(forest: Forest, leaves: Leaves, place: int) -> int:
    """Go on from the node at a place to where the simulation ends, with a virtual loss on each edge."""
    trees = forest.trees
    game, node = int(leaves.game[place]), int(leaves.node[place])
    while trees.status[game, node] == UNDECIDED:
        if trees.state[game, node] == WAITING:
            leaves.node[place] = node
            return AT_WAITING
        point = select(forest, game, node)
        _place_stone(forest.geometry, leaves, place, point)
        edge = edge_for(trees, game, node, point)
        trees.edge_visits[game, edge] += 1
        trees.total[game, edge] -= np.float32(1.0)
        child = trees.child[game, edge]
        if child == NO_NODE:
            is_full = nodes_left(trees, game) == 0
            if is_full or trees.edge_visits[game, edge] < forest.node_visits:
                leaves.node[place] = node
                return AT_EDGE
            child = _grow(forest, leaves, place, node, edge)
        trees.visits[game, child] += 1
        node = child
    leaves.node[place] = node
    return AT_DECIDED


@inlined
def _place_stone(geometry: Geometry, leaves: Leaves, place: int, point: int) -> None:
    """Play a move in the position at a place."""
    mover = int(leaves.to_move[place])
    next_mover = (mover + 1) % geometry.players
    leaves.cells[place, point] = mover + 1
    leaves.to_move[place] = next_mover
    for index in range(leaves.last_moves.shape[1] - 1, 0, -1):
        leaves.last_moves[place, index] = leaves.last_moves[place, index - 1]
    leaves.last_moves[place, 0] = point
    leaves.key[place] ^= geometry.stone_key[mover, point] ^ geometry.turn_key[mover] ^ geometry.turn_key[next_mover]


@inlined
def _grow(forest: Forest, leaves: Leaves, place: int, parent: int, edge: int) -> int:
    """Make the node behind an edge, with the position at a place.

    It waits for an evaluation unless rules or tactics settle it.
    """
    trees, game = forest.trees, int(leaves.game[place])
    point, mover = int(leaves.last_moves[place, 0]), int(leaves.to_move[place])
    node = add_node(trees, game, parent, point, edge, mover)
    decided = is_decided(trees, forest.geometry, leaves.cells[place], game, node)
    if not decided and _can_spare_a_node(forest, game):
        apply_tactics(forest, leaves, place, node)
    return node


@inlined
def _can_spare_a_node(forest: Forest, game: int) -> bool:
    """Return True if the tree has room for a node in which no simulation ends.

    Unless the tree recycles, one node must be left for each simulation that is still to come and makes a node.
    """
    left = nodes_left(forest.trees, game)
    if forest.recycles:
        return left > 0
    return forest.node_visits > 1 or left > forest.roots.budget[game] - forest.roots.done[game]


@inlined
def apply_tactics(forest: Forest, leaves: Leaves, place: int, node: int) -> None:
    """Let the solver prove the new node of the position at a place, or leave it one move."""
    trees, geometry, parameters = forest.trees, forest.geometry, forest.parameters
    if not parameters.solver:
        return
    game, mover = int(leaves.game[place]), int(leaves.to_move[place])
    limit = parameters.root_solver_nodes if node == ROOT else parameters.solver_nodes
    verdict, point, _ = solve(geometry, forest.tactics, leaves.cells[place], mover, limit)
    if verdict == NOTHING:
        return
    if verdict == FORCED:
        allow_single_move(trees, game, node, point)
        return
    if verdict == WIN:
        trees.status[game, node] = mover
        trees.best[game, node] = point
    else:
        # A root that loses is searched all the same: its moves must be told apart.
        if node == ROOT:
            return
        trees.status[game, node] = (mover + 1) % geometry.players
    trees.state[game, node] = BARE


@inlined
def is_decided(trees: Trees, geometry: Geometry, cells: NDArray[np.int8], game: int, node: int) -> bool:
    """Decide a new node whose last stone ends the game."""
    status = outcome_after(geometry, cells, int(trees.point[game, node]), int(trees.mover[game, node]))
    if status == UNDECIDED:
        return False
    trees.status[game, node] = status
    trees.state[game, node] = BARE
    return True


@inlined
def settle(forest: Forest, game: int, node: int) -> None:
    """Back up the known outcome of a node, and what it proves of those above."""
    write_certain(forest, game, int(forest.trees.status[game, node]))
    back_up(forest.trees, game, node, forest.chances)
    if forest.parameters.solver:
        prove(forest.trees, game, node)


@inlined
def write_certain(forest: Forest, game: int, status: int) -> None:
    """Write the chances of a certain outcome to the scratch of the back-up."""
    for index in range(len(forest.chances)):
        forest.chances[index] = 1.0 if index == status else 0.0
    disdain_draw(forest.chances, int(forest.roots.to_move[game]), forest.parameters.contempt)


@inlined
def disdain_draw(chances: NDArray[np.float32], searcher: int, contempt: float) -> None:
    """Count a share of a draw [P + 1] as a win of the others than `searcher`."""
    players = len(chances) - 1
    share = np.float32(contempt) * chances[players]
    chances[players] -= share
    for player in range(players):
        if player != searcher:
            chances[player] += share / np.float32(players - 1)


@inlined
def open_node(forest: Forest, leaves: Leaves, place: int, priors: NDArray[np.float32]) -> None:
    """Give the waiting node at a place the priors [A] of its evaluation."""
    legal_moves(forest.geometry, leaves.cells[place], int(leaves.to_move[place]), forest.legal)
    soft = forest.parameters.soft_priors
    _expand(forest.trees, int(leaves.game[place]), int(leaves.node[place]), forest.legal, priors, soft)


@inlined
def _expand(
    trees: Trees, game: int, node: int, legal: NDArray[np.bool_], priors: NDArray[np.float32], soft: bool
) -> None:
    """Give a node the priors [A], or their square roots, normalised over the legal moves."""
    prior = trees.prior[game, node]
    zero = np.float32(0.0)
    mass = zero
    moves = 0
    for point in range(len(legal)):
        prior[point] = np.sqrt(priors[point]) if soft else priors[point]
        mass += prior[point] if legal[point] else zero
        moves += legal[point]
    scale = np.float32(1.0) / mass if mass > zero else zero
    even = zero if mass > zero else np.float32(1.0) / np.float32(moves)
    for point in range(len(legal)):
        prior[point] = prior[point] * scale + even if legal[point] else np.float32(-1.0)
    trees.state[game, node] = EXPANDED
