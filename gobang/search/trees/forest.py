"""A forest: the search trees of many games, and all that kernels need to grow them.

Every search is a `Forest` whose roots are set from Python and whose trees are grown by the kernels of
this package.  Shape letters besides those of `gobang.types`:  G  games, one tree each;  Z  points filled up to
whole lanes
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.geometry import Geometry, geometry
from gobang.rules.lanes import whole_lanes
from gobang.rules.position import Position
from gobang.search.threats.tactics import TacticsWorkspace, tactics_workspace
from gobang.search.trees.config import GUMBEL, Parameters, SearchConfig
from gobang.search.trees.halving import halving_table
from gobang.search.trees.tree import Trees, allocate
from gobang.types import NO_MOVE, Variant

EXACT_RANKS: Final = 64  # visits of a node below which each number is a rank of its own
RANKS: Final = EXACT_RANKS + 8 * 26  # the others are eighths of a doubling, for 32 bits


class Roots(NamedTuple):
    """The positions at the roots and how far the search of each has come."""

    cells: NDArray[np.int8]  # [G, A]
    to_move: NDArray[np.int8]  # [G]
    last_moves: NDArray[np.int16]  # [G, M] the latest first
    key: NDArray[np.uint64]  # [G]
    stones: NDArray[np.int16]  # [G]
    budget: NDArray[np.int32]  # [G] simulations to make, with those kept from before
    done: NDArray[np.int32]  # [G] simulations made or kept
    gumbel: NDArray[np.float32]  # [G, A] noise of the root's moves
    dirichlet: NDArray[np.float32]  # [G, A] noise to mix into the root's priors


class Forest(NamedTuple):
    """The trees of G games with what a descent reads and the memory that it works in."""

    trees: Trees
    roots: Roots
    geometry: Geometry
    parameters: Parameters
    node_visits: int  # visits of an edge at which it gets a node
    recycles: bool  # a full tree frees nodes and goes on
    marks: NDArray[np.int8]  # [M] scratch of the recycling
    ranks: NDArray[np.int32]  # [2, RANKS] scratch of the recycling
    halving: NDArray[np.int32]  # [moves + 1, simulations] schedule by number of legal moves
    tactics: TacticsWorkspace
    scores: NDArray[np.float32]  # [Z] scratch of the selection
    legal: NDArray[np.bool_]  # [A] scratch of the expansion
    chances: NDArray[np.float32]  # [P + 1] scratch of the back-up


def allocate_forest(
    variant: Variant, config: SearchConfig, *, games: int, nodes: int, node_visits: int = 1, recycles: bool = False
) -> Forest:
    """Return empty trees of at most `nodes` nodes, and roots to be set."""
    parameters = config.parameters()
    return Forest(
        trees=allocate(variant, games, nodes, node_visits, recycles=recycles),
        roots=Roots(
            cells=np.zeros((games, variant.points), np.int8),
            to_move=np.zeros(games, np.int8),
            last_moves=np.full((games, variant.moves_shown), NO_MOVE, np.int16),
            key=np.zeros(games, np.uint64),
            stones=np.zeros(games, np.int16),
            budget=np.zeros(games, np.int32),
            done=np.zeros(games, np.int32),
            gumbel=np.zeros((games, variant.points), np.float32),
            dirichlet=np.zeros((games, variant.points), np.float32),
        ),
        geometry=geometry(variant),
        parameters=parameters,
        node_visits=node_visits,
        recycles=recycles,
        marks=np.empty(nodes, np.int8),
        ranks=np.empty((2, RANKS), np.int32),
        halving=halving_table(config.considered, config.simulations)
        if parameters.algorithm == GUMBEL
        else np.zeros((1, 1), np.int32),
        tactics=tactics_workspace(variant, parameters.root_solver_nodes),
        scores=np.zeros(whole_lanes(variant.points), np.float32),
        legal=np.empty(variant.points, np.bool_),
        chances=np.empty(variant.players + 1, np.float32),
    )


def set_root(roots: Roots, game: int, position: Position, simulations: int) -> None:
    """Put a position at a root, with simulations to make; its tree is the caller's to clear or to keep."""
    roots.cells[game] = position.cells
    roots.to_move[game] = position.to_move
    roots.last_moves[game] = position.last_moves
    roots.key[game] = position.key
    roots.stones[game] = np.count_nonzero(position.cells)
    roots.budget[game] = simulations
    roots.done[game] = 0
