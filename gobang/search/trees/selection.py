"""Selection: the move that a simulation follows, by PUCT, UCB1, the prior and the two rules of Gumbel search.

PUCT (Silver et al. 2017) and UCB1 (Auer et al. 2002) add a bonus to the mean utility of an edge.
Where the prior alone decides, the bonus is P / (1 + N): it fades, as no term grows with the visits of the node.
Gumbel search (Danihelka et al. 2022) visits the root's moves by sequential halving, and elsewhere
follows the improved policy: the softmax of the prior's logits plus the scaled, completed values.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined
from gobang.search.trees.config import PRIOR, PUCT, UCB1, Parameters
from gobang.search.trees.forest import Forest
from gobang.search.trees.tree import LOST, ROOT, Trees, mean_utility


@inlined
def select(forest: Forest, game: int, node: int) -> int:
    """The edge to follow from a node."""
    trees, parameters, scores = forest.trees, forest.parameters, forest.scores
    if parameters.algorithm == PUCT:
        return select_puct(trees, parameters, game, node, scores)
    if parameters.algorithm == PRIOR:
        return select_prior(trees, parameters, game, node, scores)
    if parameters.algorithm == UCB1:
        return select_ucb1(trees, parameters, game, node, scores)
    improved_policy(trees, parameters, game, node, scores)
    if node == ROOT:
        return select_halving(trees, game, _scheduled_visits(forest, game), forest.roots.gumbel[game], scores)
    return select_behind(trees, game, node, scores)


@inlined
def _scheduled_visits(forest: Forest, game: int) -> int:
    """The visits that the root's next move must have had, by the schedule of sequential halving."""
    moves, simulations = forest.halving.shape
    legal = len(forest.scores) - forest.roots.stones[game]
    return int(forest.halving[min(legal, moves - 1), min(forest.roots.done[game], simulations - 1)])


@inlined
def select_puct(trees: Trees, parameters: Parameters, game: int, node: int, scores: NDArray[np.float32]) -> int:
    """The edge with the highest mean utility + c_puct * prior * sqrt(visits) / (1 + edge_visits)."""
    scale = np.float32(parameters.c_puct * math.sqrt(trees.visits[game, node]))
    return _select_by_prior(trees, parameters, game, node, scores, scale)


@inlined
def select_prior(trees: Trees, parameters: Parameters, game: int, node: int, scores: NDArray[np.float32]) -> int:
    """The edge with the highest mean utility + c_puct * prior / (1 + edge_visits)."""
    return _select_by_prior(trees, parameters, game, node, scores, np.float32(parameters.c_puct))


@inlined
def _select_by_prior(
    trees: Trees, parameters: Parameters, game: int, node: int, scores: NDArray[np.float32], scale: np.float32
) -> int:
    """The edge with the highest mean utility + scale * prior / (1 + edge_visits)."""
    prior, edge_visits, total = trees.prior[game, node], trees.edge_visits[game, node], trees.total[game, node]
    first_play = np.float32(-parameters.fpu_reduction)
    if parameters.fpu_from_parent:
        first_play += np.float32(mean_utility(trees, game, node))
    one = np.float32(1.0)
    for point in range(len(scores)):
        visits = np.float32(edge_visits[point])
        mean = total[point] / max(visits, one) if visits > 0 else first_play
        score = mean + scale * prior[point] / (visits + one)
        scores[point] = score if prior[point] >= 0 else np.float32(-np.inf)
    return first_legal_maximum(scores, prior)


@inlined
def select_ucb1(trees: Trees, parameters: Parameters, game: int, node: int, scores: NDArray[np.float32]) -> int:
    """The edge with the highest mean utility + c_puct * sqrt(ln visits / edge_visits); unvisited edges first."""
    prior, edge_visits, total = trees.prior[game, node], trees.edge_visits[game, node], trees.total[game, node]
    scale = np.float32(parameters.c_puct * math.sqrt(math.log(max(trees.visits[game, node], 1))))
    unvisited = np.float32(1e3)  # above any bonus, and small enough to tell priors apart
    one = np.float32(1.0)
    for point in range(len(scores)):
        visits = np.float32(edge_visits[point])
        tried = max(visits, one)
        score = total[point] / tried + scale / np.sqrt(tried)
        score = score if visits > 0 else unvisited + prior[point]
        scores[point] = score if prior[point] >= 0 else np.float32(-np.inf)
    return first_legal_maximum(scores, prior)


@inlined
def first_legal_maximum(scores: NDArray[np.float32], prior: NDArray[np.float32]) -> int:
    """The legal point with the highest score; any legal one if all scores are -infinity."""
    best = np.float32(-np.inf)
    for point in range(len(scores)):
        best = max(best, scores[point])
    for point in range(len(scores)):
        if scores[point] == best and prior[point] >= 0:
            return point
    return 0


@inlined
def improved_policy(trees: Trees, parameters: Parameters, game: int, node: int, policy: NDArray[np.float32]) -> None:
    """Write softmax(log prior + scaled completed values) to `policy` [A].

    An unvisited move is completed with the mixed value.  A move that certainly loses gets nothing, unless all do.
    """
    prior, edge_visits, total = trees.prior[game, node], trees.edge_visits[game, node], trees.total[game, node]
    most_visits = 0
    for point in range(len(policy)):
        most_visits = max(most_visits, edge_visits[point])
    # Utilities span [-1, 1], the formula's values [0, 1]: hence the half.
    scale = 0.5 * parameters.c_scale * (parameters.c_visit + most_visits)
    mixed = _mixed_value(trees, game, node)
    top = _highest_value(edge_visits, total, mixed)
    unvisited = math.exp(scale * (mixed - top))
    for point in range(len(policy)):
        policy[point] = max(prior[point], np.float32(0.0)) * unvisited
    for point in range(len(policy)):
        if edge_visits[point] > 0 and prior[point] > 0.0:
            policy[point] = prior[point] * math.exp(scale * (total[point] / edge_visits[point] - top))
    mass = 0.0
    for point in range(len(policy)):
        mass += policy[point]
    for point in range(len(policy)):
        policy[point] = policy[point] / mass if mass > 0.0 else max(prior[point], np.float32(0.0))


@inlined
def _mixed_value(trees: Trees, game: int, node: int) -> float:
    """The evaluator's value of a node, averaged with its visited moves' values weighted by their priors."""
    prior, edge_visits, total = trees.prior[game, node], trees.edge_visits[game, node], trees.total[game, node]
    visits, seen, weighted = 0, 0.0, 0.0
    for point in range(len(prior)):
        if edge_visits[point] > 0:
            visits += edge_visits[point]
            seen += prior[point]
            weighted += prior[point] * max(total[point] / edge_visits[point], -1.0)
    value = float(trees.value[game, node])
    return (value + visits * weighted / max(seen, 1e-9)) / (1.0 + visits) if visits > 0 else value


@inlined
def _highest_value(edge_visits: NDArray[np.int32], total: NDArray[np.float32], mixed: float) -> float:
    """The highest of the visited edges' mean utilities and the mixed value, so that exp cannot overflow."""
    top = mixed
    for point in range(len(edge_visits)):
        if edge_visits[point] > 0:
            top = max(top, total[point] / edge_visits[point])
    return top


@inlined
def select_behind(trees: Trees, game: int, node: int, policy: NDArray[np.float32]) -> int:
    """The legal edge whose share of visits is furthest behind its share of the policy [A]."""
    prior, edge_visits, total = trees.prior[game, node], trees.edge_visits[game, node], trees.total[game, node]
    visits = 1.0
    for point in range(len(policy)):
        visits += edge_visits[point]
    best, best_gap = -1, -np.inf
    for point in range(len(policy)):
        gap = policy[point] - edge_visits[point] / visits
        if prior[point] >= 0.0 and (best < 0 or (gap > best_gap and total[point] > LOST)):
            best, best_gap = point, gap if total[point] > LOST else -np.inf
    return best


@inlined
def select_halving(
    trees: Trees, game: int, halving_visits: int, gumbel: NDArray[np.float32], policy: NDArray[np.float32]
) -> int:
    """The root's move for this simulation of sequential halving.

    Of the moves that have been visited `halving_visits` times, the one with the highest Gumbel
    noise + log of the improved policy; if there is none, the highest of the least visited above.
    """
    prior, edge_visits, total = trees.prior[game, ROOT], trees.edge_visits[game, ROOT], trees.total[game, ROOT]
    best, best_count, best_score = -1, 0, -np.inf
    for point in range(len(policy)):
        if prior[point] < 0.0 or edge_visits[point] < halving_visits or total[point] == LOST:
            continue
        score = gumbel[point] + math.log(max(policy[point], 1e-30))
        if best < 0 or edge_visits[point] < best_count or (edge_visits[point] == best_count and score > best_score):
            best, best_count, best_score = point, edge_visits[point], score
    if best < 0:
        return most_visited(prior, edge_visits)
    return best


@inlined
def most_visited(prior: NDArray[np.float32], edge_visits: NDArray[np.int32]) -> int:
    """The legal point with the most visits, the higher prior first among equals."""
    best = -1
    for point in range(len(prior)):
        if prior[point] < 0.0:
            continue
        if best < 0 or (edge_visits[point], prior[point]) > (edge_visits[best], prior[best]):
            best = point
    return best
