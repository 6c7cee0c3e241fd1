"""Kernels at the roots: move a tree on to a later position, and read what a search has found."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.search.trees.config import GUMBEL
from gobang.search.trees.edges import edges_by_point, row_of_root
from gobang.search.trees.forest import Forest
from gobang.search.trees.recycling import keep_subtree
from gobang.search.trees.selection import improved_policy, most_visited
from gobang.search.trees.tree import (
    EXPANDED,
    LOST,
    NO_NODE,
    ROOT,
    Trees,
    child_at,
)
from gobang.types import NO_MOVE, UNDECIDED

_WELL_VISITED: Final = 0.15  # of the most visits, from which on a move's mean is trusted
_TINY: Final = 1e-12  # a share for moves that the network rules out, where there are no others


@kernel
def follow(forest: Forest, game: int, moves: NDArray[np.int16]) -> bool:
    """Make the node that `moves` lead to the root of its tree; return False if the node has no edges yet."""
    trees, roots = forest.trees, forest.roots
    if trees.size[game] == 0:
        return False
    node = ROOT
    for point in moves:
        if trees.state[game, node] != EXPANDED:
            return False
        node = child_at(trees, game, node, int(point))
        if node == NO_NODE:
            return False
    if trees.state[game, node] != EXPANDED:
        return False
    if node != ROOT:
        keep_subtree(forest, game, node)
    roots.done[game] = 0
    first, end = row_of_root(trees)
    for edge in range(first, end):
        roots.done[game] += trees.edge_visits[game, edge]
    prepare_root(forest, game)
    return True


@inlined
def prepare_root(forest: Forest, game: int) -> None:
    """Mix noise into an expanded root's priors, and let a root with one move have one simulation."""
    prior, dirichlet = forest.trees.prior[game, ROOT], forest.roots.dirichlet[game]
    mass = np.float32(0.0)
    moves = 0
    for point in range(len(prior)):
        if prior[point] >= 0.0:
            mass += dirichlet[point]
            moves += 1
    share = np.float32(forest.parameters.noise_fraction)
    if mass > 0.0 and share > 0.0:
        for point in range(len(prior)):
            if prior[point] >= 0.0:
                prior[point] = (1 - share) * prior[point] + share * dirichlet[point] / mass
    if moves == 1:
        forest.roots.budget[game] = min(forest.roots.budget[game], forest.roots.done[game] + 1)


def root_ranking(forest: Forest, game: int) -> tuple[int, int, int]:
    """Visits of a root's most visited move and of the next one, but for proven losses, and simulations in all.

    They count as equal where another move leads than the most visited one.
    """
    trees, done = forest.trees, int(forest.roots.done[game])
    if trees.size[game] == 0 or trees.state[game, ROOT] != EXPANDED:
        return 0, 0, done
    edges = edges_by_point(trees, game, ROOT)
    visits = np.where(edges.totals > LOST, edges.visits, 0)
    second, first = np.partition(visits, -2)[-2:]
    if visits[leading_move(forest, game)] < first:
        second = first
    return int(first), int(second), done


@kernel
def leading_move(forest: Forest, game: int) -> int:
    """The move that an expanded root without a proof would play now."""
    policy = forest.scores[: forest.trees.prior.shape[2]]
    policy[:] = 0.0
    _visited_policy(forest.trees, game, policy)
    return _leader(forest.trees, game, policy, forest.parameters.lcb)


@kernel
def read_root(
    forest: Forest, game: int, visits: NDArray[np.int32], policy: NDArray[np.float32], chances: NDArray[np.float32]
) -> int:
    """Write a search's visits [A], policy [A] and chances [P + 1] by player; return the best move.

    The chances are those that the moves of the policy lead to.  With visits as the policy that is the
    mean of all simulations; sequential halving spends half of its simulations on moves that it rejects.
    """
    trees, parameters = forest.trees, forest.parameters
    for point in range(len(visits)):
        visits[point] = 0
        policy[point] = 0.0
    _read_chances(trees, game, chances)
    best = int(trees.best[game, ROOT])
    if trees.state[game, ROOT] != EXPANDED:
        policy[best] = 1.0
        return best
    first, _ = row_of_root(trees)
    for point in range(len(visits)):
        visits[point] = trees.edge_visits[game, first + point]
    if best != NO_MOVE and trees.status[game, ROOT] == trees.mover[game, ROOT]:
        policy[best] = 1.0
        return best
    if parameters.algorithm == GUMBEL:
        improved_policy(trees, parameters, game, ROOT, first, forest.scores)
        for point in range(len(policy)):
            policy[point] = forest.scores[point]
        if trees.status[game, ROOT] == UNDECIDED:
            _weigh_chances(trees, game, policy, chances)
        return best if best != NO_MOVE else _best_by_halving(trees, game, forest.roots.gumbel[game], policy)
    _visited_policy(trees, game, policy)
    return best if best != NO_MOVE else _leader(trees, game, policy, parameters.lcb)


@inlined
def _read_chances(trees: Trees, game: int, chances: NDArray[np.float32]) -> None:
    """The root's mean chances, or those of its certain outcome."""
    chances[:] = 0.0
    _add_chances(trees, game, ROOT, 1.0, chances)


@inlined
def _weigh_chances(trees: Trees, game: int, policy: NDArray[np.float32], chances: NDArray[np.float32]) -> None:
    """Put the policy's mean of the visited moves' chances in place of `chances`, which stays if there is none."""
    first, end = row_of_root(trees)
    edge_visits, child = trees.edge_visits[game, first:end], trees.child[game, first:end]
    weight = 0.0
    for point in range(len(policy)):
        if edge_visits[point] > 0 and policy[point] > 0.0:
            weight += policy[point]
    if weight == 0.0:
        return
    chances[:] = 0.0
    for point in range(len(policy)):
        if edge_visits[point] > 0 and policy[point] > 0.0:
            _add_chances(trees, game, child[point], policy[point] / weight, chances)


@inlined
def _add_chances(trees: Trees, game: int, node: int, share: float, chances: NDArray[np.float32]) -> None:
    """Add a share of a node's mean chances, or those of its certain outcome."""
    status = trees.status[game, node]
    mass = 0.0
    for index in range(len(chances)):
        mass += trees.chances[game, node, index]
    for index in range(len(chances)):
        if status != UNDECIDED:
            chances[index] += share if index == status else 0.0
        else:
            chances[index] += share * trees.chances[game, node, index] / max(mass, 1e-9)


@inlined
def _visited_policy(trees: Trees, game: int, policy: NDArray[np.float32]) -> None:
    """Shares of visits among the moves not proven lost, or of all if all are; priors, if none of them was visited.

    Of more than two players one may have lost for certain while it is open to whom.
    """
    prior = trees.prior[game, ROOT]
    first, end = row_of_root(trees)
    edge_visits, total = trees.edge_visits[game, first:end], trees.total[game, first:end]
    lost = True
    for point in range(len(prior)):
        lost = lost and (prior[point] < 0.0 or total[point] <= LOST)
    visited, believed = 0.0, 0.0
    for point in range(len(policy)):
        if prior[point] >= 0.0 and (lost or total[point] > LOST):
            visited += edge_visits[point]
            believed += prior[point] + _TINY
    for point in range(len(policy)):
        if prior[point] >= 0.0 and (lost or total[point] > LOST):
            policy[point] = edge_visits[point] / visited if visited > 0.0 else (prior[point] + _TINY) / believed


@inlined
def _leader(trees: Trees, game: int, policy: NDArray[np.float32], errors: float) -> int:
    """The most visited move by the policy [A]; with `errors` the one that is most surely good.

    That has the highest mean utility less so many standard errors, as if each simulation had ended in a win or a
    loss.  Moves with few visits have no say.
    """
    begin, end = row_of_root(trees)
    edge_visits, total = trees.edge_visits[game, begin:end], trees.total[game, begin:end]
    first = int(np.argmax(policy))
    if errors == 0.0:
        return first
    best, best_bound = first, -np.inf
    for point in range(len(policy)):
        visits = edge_visits[point]
        if visits > 0 and policy[point] >= _WELL_VISITED * policy[first] and total[point] > LOST:
            mean = total[point] / visits
            bound = mean - errors * math.sqrt(max(1.0 - mean * mean, 0.0) / visits)
            if bound > best_bound:
                best, best_bound = point, bound
    return best


@inlined
def _best_by_halving(trees: Trees, game: int, gumbel: NDArray[np.float32], policy: NDArray[np.float32]) -> int:
    """Of the most visited moves that are not lost, the one that Gumbel noise and policy put first."""
    prior = trees.prior[game, ROOT]
    first, end = row_of_root(trees)
    edge_visits, total = trees.edge_visits[game, first:end], trees.total[game, first:end]
    best, best_score = -1, -np.inf
    for point in range(len(policy)):
        if prior[point] < 0.0 or total[point] == LOST:
            continue
        score = gumbel[point] + math.log(max(policy[point], 1e-30))
        if (
            best < 0
            or edge_visits[point] > edge_visits[best]
            or (edge_visits[point] == edge_visits[best] and score > best_score)
        ):
            best, best_score = point, score
    return best if best >= 0 else most_visited(prior, edge_visits)


@kernel
def policy_surprise(trees: Trees, game: int, policy: NDArray[np.float32]) -> float:
    """KL divergence of a root's policy [A] from its priors; 0 where the root has no priors."""
    if trees.state[game, ROOT] != EXPANDED:
        return 0.0
    divergence = 0.0
    for point in range(len(policy)):
        if policy[point] > 0.0:
            divergence += policy[point] * math.log(policy[point] / max(trees.prior[game, ROOT, point], 1e-9))
    return max(divergence, 0.0)
