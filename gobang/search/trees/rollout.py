"""Monte Carlo tree search with random rollouts: the papers' baseline, whole simulations in a kernel.

A move that has been visited once needs no node: its rollout's result stands on the edge.  The node
is made at the second visit, so a tree of n simulations holds far fewer than n nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import has_legal_move, is_win
from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.rules.position import Position
from gobang.search.threats.tactics import TacticsWorkspace, tactics_workspace
from gobang.search.trees.config import Parameters, SearchConfig
from gobang.search.trees.descent import (
    Games,
    allocate_games,
    apply_tactics,
    copy_row,
    expand,
    is_decided,
    legal_points,
)
from gobang.search.trees.playout import PlayoutWorkspace, play_out, playout_workspace, random_below
from gobang.search.trees.roots import read_root
from gobang.search.trees.search import SearchResult
from gobang.search.trees.selection import select
from gobang.search.trees.tree import NO_NODE, ROOT, Trees, add_node, allocate, back_up, bytes_per_node, prove, utility
from gobang.types import NO_MOVE, UNDECIDED, Variant

_STEP: Final = 256  # simulations between two looks at the clock
_MEGABYTES: Final = 512
_GAME: Final = 0  # this search has one tree


class RolloutSearch:
    """A search of one position after the other, with the methods of `Search`."""

    def __init__(self, variant: Variant, config: SearchConfig, *, seed: int, memory_mb: int | None = None) -> None:
        """A full tree, by default of 512 MB, is searched on without new nodes."""
        self.variant = variant
        self.config = config
        self._geometry = geometry(variant)
        self._parameters = config.parameters()
        self._tactics = tactics_workspace(variant, self._parameters.root_solver_nodes)
        self._playouts = playout_workspace(variant, len(self._geometry.mask))
        nodes = (memory_mb or _MEGABYTES) * 2**20 // bytes_per_node(variant)
        self._trees = allocate(variant, 1, min(config.simulations + 2, nodes))
        self._seed = np.uint64((2 * seed + 1) % 2**32)
        self._games = allocate_games(variant, 1, np.zeros((1, 1), np.int32), 0.0)
        self._board: NDArray[np.int8] = np.zeros((1, variant.points), np.int8)
        self._priors: NDArray[np.float32] = np.zeros(variant.points, np.float32)

    def run(self, positions: Sequence[Position]) -> SearchResult:
        """Search each of N positions to the end of its budget."""
        found = [self._run_one(position) for position in positions]
        return SearchResult(
            moves=np.concatenate([result.moves for result in found]),
            visits=np.concatenate([result.visits for result in found]),
            policy=np.concatenate([result.policy for result in found]),
            outcome=np.concatenate([result.outcome for result in found]),
            surprise=np.concatenate([result.surprise for result in found]),
            proven=np.concatenate([result.proven for result in found]),
            evaluations=sum(result.evaluations for result in found),
        )

    def begin(self, position: Position) -> None:
        """Set the root."""
        games = self._games
        games.cells[_GAME] = position.cells
        games.to_move[_GAME] = position.to_move
        games.stones[_GAME] = np.count_nonzero(position.cells)
        games.budget[_GAME] = self.config.simulations
        games.done[_GAME] = 0
        self._trees.size[_GAME] = 0
        # Random numbers follow from seed and position, not from what was searched before.
        self._playouts.random[0] = (np.uint64(position.key) ^ (self._seed << np.uint64(32))) | np.uint64(1)

    def step(self) -> bool:
        """Run some simulations; False when all is done."""
        done = int(self._games.done[_GAME])
        roll_out(
            self._trees,
            self._games,
            self._geometry,
            self._tactics,
            self._playouts,
            self._parameters,
            self._board,
            self._priors,
            _STEP,
        )
        return int(self._games.done[_GAME]) > done

    def result(self) -> SearchResult:
        """What has been found so far, as arrays of one row."""
        points = self.variant.points
        visits, policy = np.zeros((1, points), np.int32), np.zeros((1, points), np.float32)
        outcome = np.zeros((1, self.variant.players + 1), np.float32)
        move = read_root(
            self._trees, self._parameters, _GAME, self._games.gumbel[_GAME], visits[0], policy[0], outcome[0]
        )
        return SearchResult(
            moves=np.array([move], np.int16),
            visits=visits,
            policy=policy,
            outcome=outcome,
            surprise=np.zeros(1, np.float32),
            proven=self._trees.status[:1, ROOT].copy(),
            evaluations=int(self._games.done[_GAME]),
        )

    def simulations_done(self) -> int:
        """Simulations made since `begin`."""
        return int(self._games.done[_GAME])

    def _run_one(self, position: Position) -> SearchResult:
        self.begin(position)
        while self.step():
            pass
        return self.result()


@kernel
def roll_out(
    trees: Trees,
    games: Games,
    geometry: Geometry,
    tactics: TacticsWorkspace,
    playouts: PlayoutWorkspace,
    parameters: Parameters,
    board: NDArray[np.int8],
    priors: NDArray[np.float32],
    simulations: int,
) -> None:
    """Make up to `simulations` more; `board` [1, A] and `priors` [A] are scratch."""
    if trees.size[_GAME] == 0:
        copy_row(board, 0, games.cells, _GAME)
        add_node(trees, _GAME, NO_NODE, NO_MOVE, int(games.to_move[_GAME]))
        _open(trees, games, geometry, tactics, playouts, parameters, board[0], priors, ROOT)
    for _ in range(simulations):
        finished = games.done[_GAME] >= games.budget[_GAME] or trees.status[_GAME, ROOT] != UNDECIDED
        if finished:
            return
        _simulate(trees, games, geometry, tactics, playouts, parameters, board, priors)
        games.done[_GAME] += 1


@inlined
def _open(
    trees: Trees,
    games: Games,
    geometry: Geometry,
    tactics: TacticsWorkspace,
    playouts: PlayoutWorkspace,
    parameters: Parameters,
    cells: NDArray[np.int8],
    priors: NDArray[np.float32],
    node: int,
) -> None:
    """Settle a new undecided node by tactics or give it edges with even priors.

    The priors differ by a thousandth at random, so that no corner of the board is tried first.
    """
    if apply_tactics(trees, geometry, tactics, parameters, cells, _GAME, node, node == ROOT):
        return
    legal_points(geometry, cells, int(trees.mover[_GAME, node]), games.legal)
    for point in range(len(priors)):
        priors[point] = 1.0 + 1e-6 * random_below(playouts.random, 1000)
    expand(trees, _GAME, node, games.legal, priors)


@inlined
def _simulate(
    trees: Trees,
    games: Games,
    geometry: Geometry,
    tactics: TacticsWorkspace,
    playouts: PlayoutWorkspace,
    parameters: Parameters,
    board: NDArray[np.int8],
    priors: NDArray[np.float32],
) -> None:
    """One descent, one random game, one back-up."""
    copy_row(board, 0, games.cells, _GAME)
    cells = board[0]
    node = ROOT
    stones = games.stones[_GAME]
    status = UNDECIDED
    trees.visits[_GAME, ROOT] += 1
    while status == UNDECIDED:
        point = select(trees, parameters, _GAME, node, 0, games.gumbel[_GAME], games.scores)
        mover = int(trees.mover[_GAME, node])
        next_mover = (mover + 1) % geometry.players
        cells[point] = mover + 1
        stones += 1
        trees.tries[_GAME, node, point] += 1
        trees.total[_GAME, node, point] -= np.float32(1.0)
        child = trees.child[_GAME, node, point]
        if child == NO_NODE:
            seen_before = trees.tries[_GAME, node, point] > 1
            if not seen_before or trees.size[_GAME] == trees.parent.shape[1]:
                _finish(trees, games, geometry, playouts, cells, node, point, next_mover)
                return
            child = add_node(trees, _GAME, node, point, next_mover)
            if not is_decided(trees, geometry, cells, _GAME, child, stones):
                _open(trees, games, geometry, tactics, playouts, parameters, cells, priors, child)
        trees.visits[_GAME, child] += 1
        node = child
        status = trees.status[_GAME, node]
    for index in range(len(games.outcome)):
        games.outcome[index] = 1.0 if index == status else 0.0
    back_up(trees, _GAME, node, games.outcome)
    if parameters.solver:
        prove(trees, _GAME, node)


@inlined
def _finish(
    trees: Trees,
    games: Games,
    geometry: Geometry,
    playouts: PlayoutWorkspace,
    cells: NDArray[np.int8],
    node: int,
    point: int,
    next_mover: int,
) -> None:
    """Play on at random after a move that has no node, and back the outcome up from its edge."""
    mover = int(trees.mover[_GAME, node])
    status = geometry.players
    if is_win(geometry, cells, point):
        status = mover
    elif has_legal_move(geometry, cells, next_mover):
        status = play_out(geometry, playouts, cells, next_mover)
    for index in range(len(games.outcome)):
        games.outcome[index] = 1.0 if index == status else 0.0
    trees.total[_GAME, node, point] += np.float32(utility(games.outcome, mover) + 1.0)
    back_up(trees, _GAME, node, games.outcome)
