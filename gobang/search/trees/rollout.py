"""Monte Carlo tree search with playouts: the papers' baseline, whole simulations in a kernel.

A move that has been visited once needs no node: its playout's result stands on the edge.  The node
is made at the second visit, so a tree of n simulations holds far fewer than n nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import has_legal_move, is_win
from gobang.rules.compiled import inlined, kernel
from gobang.rules.position import Position
from gobang.search.trees.analysis import read_analysis
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.descent import (
    AT_EDGE,
    AT_WAITING,
    Leaves,
    allocate_leaves,
    descend,
    open_node,
    plant,
    settle,
    start,
    write_certain,
)
from gobang.search.trees.forest import Forest, allocate_forest, set_root
from gobang.search.trees.playout import PlayoutWorkspace, play_out, playout_workspace, random_below
from gobang.search.trees.roots import read_root, root_ranking
from gobang.search.trees.search import SearchResult
from gobang.search.trees.tree import ROOT, WAITING, back_up, bytes_per_node, edge_at, utility
from gobang.types import UNDECIDED, Analysis, Variant

_STEP: Final = 512  # simulations between two looks at the clock
_MEGABYTES: Final = 512
_GAME: Final = 0  # this search has one tree
_PLACE: Final = 0  # and one leaf at a time
_NODE_VISITS: Final = 2


class RolloutSearch:
    """A search of one position after the other, with the methods of `Search`."""

    def __init__(self, variant: Variant, config: SearchConfig, *, seed: int, memory_mb: int | None = None) -> None:
        """A full tree, by default of 512 MB, is searched on without new nodes."""
        self.variant = variant
        self.config = config
        nodes = (memory_mb or _MEGABYTES) * 2**20 // bytes_per_node(variant, _NODE_VISITS)
        self._forest = allocate_forest(
            variant, config, games=1, nodes=min(config.simulations + 2, nodes), node_visits=_NODE_VISITS
        )
        self._trees, self._roots = self._forest.trees, self._forest.roots
        self._leaf = allocate_leaves(variant, 1)
        self._playouts = playout_workspace(variant, len(self._forest.geometry.mask))
        self._priors: NDArray[np.float32] = np.zeros(variant.points, np.float32)
        self._seed = np.uint64((2 * seed + 1) % 2**32)

    def run(self, positions: Sequence[Position]) -> SearchResult:
        """Search each of N positions to the end of its budget."""
        found = [self._run_one(position) for position in positions]
        return SearchResult(
            moves=np.concatenate([result.moves for result in found]),
            visits=np.concatenate([result.visits for result in found]),
            policy=np.concatenate([result.policy for result in found]),
            chances=np.concatenate([result.chances for result in found]),
            surprise=np.concatenate([result.surprise for result in found]),
            proven=np.concatenate([result.proven for result in found]),
            evaluations=sum(result.evaluations for result in found),
        )

    def begin(self, position: Position) -> None:
        """Set the root."""
        set_root(self._roots, _GAME, position, self.config.simulations)
        self._trees.size[_GAME] = 0
        # Random numbers follow from seed and position, not from what was searched before.
        self._playouts.random[0] = (np.uint64(position.key) ^ (self._seed << np.uint64(32))) | np.uint64(1)

    def step(self) -> bool:
        """Run some simulations; False when all is done."""
        done = self.simulations_done()
        roll_out(self._forest, self._leaf, self._playouts, self._priors, _STEP)
        return self.simulations_done() > done

    def result(self) -> SearchResult:
        """The results so far, as arrays of one row."""
        points = self.variant.points
        visits, policy = np.zeros((1, points), np.int32), np.zeros((1, points), np.float32)
        chances = np.zeros((1, self.variant.players + 1), np.float32)
        move = read_root(self._forest, _GAME, visits[0], policy[0], chances[0])
        return SearchResult(
            moves=np.array([move], np.int16),
            visits=visits,
            policy=policy,
            chances=chances,
            surprise=np.zeros(1, np.float32),
            proven=self._trees.status[:1, ROOT].copy(),
            evaluations=self.simulations_done(),
        )

    def analysis(self, most: int) -> Analysis:
        """What is known so far."""
        return read_analysis(self._forest, _GAME, self.simulations_done(), most)

    @property
    def move(self) -> int:
        """The best move found so far."""
        return int(self.result().moves[0])

    def ranking(self) -> tuple[int, int, int]:
        """Visits of the first and of the second move, and simulations in all."""
        return root_ranking(self._forest, _GAME)

    def simulations_done(self) -> int:
        """Simulations made since `begin`."""
        return int(self._roots.done[_GAME])

    def _run_one(self, position: Position) -> SearchResult:
        self.begin(position)
        while self.step():
            pass
        return self.result()


@kernel
def roll_out(
    forest: Forest, leaf: Leaves, playouts: PlayoutWorkspace, priors: NDArray[np.float32], simulations: int
) -> None:
    """Make up to `simulations` more; the one place of `leaf` and `priors` [A] are scratch."""
    trees, roots = forest.trees, forest.roots
    if trees.size[_GAME] == 0:
        plant(forest, leaf, _PLACE, _GAME)
        if trees.state[_GAME, ROOT] == WAITING:
            _open_evenly(forest, leaf, playouts, priors)
    for _ in range(simulations):
        if roots.done[_GAME] >= roots.budget[_GAME] or trees.status[_GAME, ROOT] != UNDECIDED:
            return
        _simulate(forest, leaf, playouts, priors)
        roots.done[_GAME] += 1


@inlined
def _simulate(forest: Forest, leaf: Leaves, playouts: PlayoutWorkspace, priors: NDArray[np.float32]) -> None:
    """One descent, one random game, one back-up."""
    start(forest, leaf, _PLACE, _GAME)
    forest.trees.visits[_GAME, ROOT] += 1
    end = AT_WAITING
    while end == AT_WAITING:
        end = descend(forest, leaf, _PLACE)
        if end == AT_WAITING:
            _open_evenly(forest, leaf, playouts, priors)
    if end == AT_EDGE:
        _play_out_edge(forest, leaf, playouts)
    else:
        settle(forest, _GAME, int(leaf.node[_PLACE]))


@inlined
def _open_evenly(forest: Forest, leaf: Leaves, playouts: PlayoutWorkspace, priors: NDArray[np.float32]) -> None:
    """Give a new node edges with even priors.

    They differ by a thousandth at random, so that no corner of the board is tried first.
    """
    for point in range(len(priors)):
        priors[point] = 1.0 + 1e-6 * random_below(playouts.random, 1000)
    open_node(forest, leaf, _PLACE, priors)


@inlined
def _play_out_edge(forest: Forest, leaf: Leaves, playouts: PlayoutWorkspace) -> None:
    """Play on at random behind a move that has no node, and back the chances up from its edge."""
    trees, geometry, cells = forest.trees, forest.geometry, leaf.cells[_PLACE]
    node, point, to_move = int(leaf.node[_PLACE]), int(leaf.last_moves[_PLACE, 0]), int(leaf.to_move[_PLACE])
    mover = int(trees.mover[_GAME, node])
    status = geometry.players
    if is_win(geometry, cells, point):
        status = mover
    elif has_legal_move(geometry, cells, to_move):
        status = play_out(geometry, playouts, cells, to_move)
    write_certain(forest, _GAME, status)
    trees.total[_GAME, edge_at(trees, _GAME, node, point)] += np.float32(utility(forest.chances, mover) + 1.0)
    back_up(trees, _GAME, node, forest.chances)
