"""Selection: the move that a simulation follows, by PUCT, UCB1, the prior and the two rules of Gumbel search.

PUCT (Silver et al. 2017) and UCB1 (Auer et al. 2002) add a bonus to the mean utility of an edge.
Where the prior alone decides, the bonus is P / (1 + N): it fades, as no term grows with the visits of the node.
Gumbel search (Danihelka et al. 2022) visits the root's moves by sequential halving, and elsewhere
follows the improved policy: the softmax of the prior's logits plus the scaled, completed values.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined
from gobang.rules.lanes import (
    LANES,
    Lanes,
    add,
    counted_from,
    counts_at,
    divide,
    exponential,
    greater,
    greatest_of,
    if_greater,
    lanes_at,
    multiply,
    put_lanes,
    spread,
    sum_of,
)
from gobang.search.trees.config import PRIOR, PUCT, UCB1, Parameters
from gobang.search.trees.edges import lay_out, take_away
from gobang.search.trees.forest import Forest
from gobang.search.trees.tree import ILLEGAL, LOST, ROOT, Trees, mean_utility

_NEVER: Final = np.float32(-np.inf)  # the score of a move that is not chosen
_NOWHERE: Final = np.float32(1e6)  # above any point
_LEAST: Final = np.float32(-1e30)  # above the mean utility of a lost move alone


@inlined
def select(forest: Forest, game: int, node: int) -> int:
    """The move to follow from a node."""
    row = lay_out(forest.trees, game, node)
    point = _choose(forest, game, node, row)
    take_away(forest.trees, game, node)
    return point


@inlined
def _choose(forest: Forest, game: int, node: int, row: int) -> int:
    """The same where the node's edges are laid out; a row is here said by its first edge."""
    trees, parameters, scores = forest.trees, forest.parameters, forest.scores
    if parameters.algorithm == PUCT:
        return select_puct(trees, parameters, game, node, row)
    if parameters.algorithm == PRIOR:
        return select_prior(trees, parameters, game, node, row)
    if parameters.algorithm == UCB1:
        return select_ucb1(trees, parameters, game, node, row, scores)
    improved_policy(trees, parameters, game, node, row, scores)
    if node == ROOT:
        return select_halving(trees, game, row, _scheduled_visits(forest, game), forest.roots.gumbel[game], scores)
    return select_behind(trees, game, node, row, scores)


@inlined
def _scheduled_visits(forest: Forest, game: int) -> int:
    """The visits that the root's next move must have had, by the schedule of sequential halving."""
    moves, simulations = forest.halving.shape
    legal = forest.roots.cells.shape[1] - forest.roots.stones[game]
    return int(forest.halving[min(legal, moves - 1), min(forest.roots.done[game], simulations - 1)])


@inlined
def select_puct(trees: Trees, parameters: Parameters, game: int, node: int, row: int) -> int:
    """The edge with the highest mean utility + c_puct * prior * sqrt(visits) / (1 + edge_visits)."""
    scale = np.float32(parameters.c_puct * math.sqrt(trees.visits[game, node]))
    return _select_by_prior(trees, parameters, game, node, row, scale)


@inlined
def select_prior(trees: Trees, parameters: Parameters, game: int, node: int, row: int) -> int:
    """The edge with the highest mean utility + c_puct * prior / (1 + edge_visits)."""
    return _select_by_prior(trees, parameters, game, node, row, np.float32(parameters.c_puct))


@inlined
def _select_by_prior(trees: Trees, parameters: Parameters, game: int, node: int, row: int, scale: np.float32) -> int:
    """The edge with the highest mean utility + scale * prior / (1 + edge_visits)."""
    first_play = np.float32(-parameters.fpu_reduction)
    if parameters.fpu_from_parent:
        first_play += np.float32(mean_utility(trees, game, node))
    untried, factor = spread(first_play), spread(scale)
    zero, one = spread(np.float32(0.0)), spread(np.float32(1.0))
    points = trees.prior.shape[2]
    begin, edges = _first_prior(trees, game, node), _place_of_row(trees, game, row)
    best, where = spread(_NEVER), spread(_NOWHERE)
    for first in range(0, points, LANES):
        prior, visits = lanes_at(trees.prior, begin + first), counts_at(trees.edge_visits, edges + first)
        total = lanes_at(trees.total, edges + first)
        mean = if_greater(visits, zero, divide(total, greater(visits, one)), untried)
        score = add(mean, divide(multiply(factor, prior), add(visits, one)))
        index = counted_from(first)
        score = _of_legal(score, prior, index, points)
        where = if_greater(score, best, index, where)
        best = greater(score, best)
    return _first_of_best(best, where, trees.prior[game, node])


@inlined
def _first_prior(trees: Trees, game: int, node: int) -> int:
    """The place of a node's first prior in the array of all."""
    nodes, points = trees.prior.shape[1], trees.prior.shape[2]
    return int((game * nodes + node) * points)


@inlined
def _place_of_row(trees: Trees, game: int, row: int) -> int:
    """The place of a row's first edge in the arrays of all."""
    return int(game * trees.total.shape[1] + row)


@inlined
def _of_legal(score: Lanes, prior: Lanes, index: Lanes, points: int) -> Lanes:
    """Scores of edges; -infinity where a move is illegal, and behind the last one."""
    never, illegal = spread(_NEVER), spread(np.float32(ILLEGAL))
    legal = if_greater(prior, illegal, score, never)
    kept: Lanes = if_greater(spread(np.float32(points)), index, legal, never)
    return kept


@inlined
def _first_of_best(best: Lanes, where: Lanes, prior: NDArray[np.float32]) -> int:
    """Of the best of each lane and where it was, the first point with the best; any legal one if there is none."""
    top = spread(greatest_of(best))
    point = -greatest_of(multiply(if_greater(top, best, spread(_NOWHERE), where), spread(np.float32(-1.0))))
    if point < len(prior):
        return int(point)
    for legal in range(len(prior)):
        if prior[legal] >= 0:
            return legal
    return 0


@inlined
def select_ucb1(
    trees: Trees, parameters: Parameters, game: int, node: int, row: int, scores: NDArray[np.float32]
) -> int:
    """The edge with the highest mean utility + c_puct * sqrt(ln visits / edge_visits); unvisited edges first."""
    prior = trees.prior[game, node]
    end = row + len(prior)
    edge_visits, total = trees.edge_visits[game, row:end], trees.total[game, row:end]
    scale = np.float32(parameters.c_puct * math.sqrt(math.log(max(trees.visits[game, node], 1))))
    unvisited = np.float32(1e3)  # above any bonus, and small enough to tell priors apart
    one = np.float32(1.0)
    for point in range(len(prior)):
        visits = np.float32(edge_visits[point])
        tried = max(visits, one)
        score = total[point] / tried + scale / np.sqrt(tried)
        score = score if visits > 0 else unvisited + prior[point]
        scores[point] = score if prior[point] >= 0 else np.float32(-np.inf)
    return first_legal_maximum(scores, prior)


@inlined
def first_legal_maximum(scores: NDArray[np.float32], prior: NDArray[np.float32]) -> int:
    """The legal point with the highest score; any legal one if all scores are -infinity."""
    best = _NEVER
    for point in range(len(prior)):
        best = max(best, scores[point])
    for point in range(len(prior)):
        if scores[point] == best and prior[point] >= 0:
            return point
    return 0


@inlined
def improved_policy(
    trees: Trees, parameters: Parameters, game: int, node: int, row: int, policy: NDArray[np.float32]
) -> None:
    """Write softmax(log prior + scaled completed values) to `policy` [Z].

    An unvisited move is completed with the mixed value.  A move that certainly loses gets nothing, unless all do.
    """
    points, begin, edges = trees.prior.shape[2], _first_prior(trees, game, node), _place_of_row(trees, game, row)
    most_visits, mixed, top = _survey(trees, game, node, row)
    # Utilities span [-1, 1], the formula's values [0, 1]: hence the half.
    scale = spread(np.float32(0.5 * parameters.c_scale * (parameters.c_visit + most_visits)))
    zero, one = spread(np.float32(0.0)), spread(np.float32(1.0))
    missing, least, lowest = spread(mixed), spread(np.float32(-top)), spread(_LEAST)
    mass = zero
    for first in range(0, points, LANES):
        prior, visits = lanes_at(trees.prior, begin + first), counts_at(trees.edge_visits, edges + first)
        total, index = lanes_at(trees.total, edges + first), counted_from(first)
        prior, visits = _of_legal(prior, prior, index, points), _of_legal(visits, prior, index, points)
        value = if_greater(visits, zero, divide(total, greater(visits, one)), missing)
        weight = multiply(greater(prior, zero), exponential(multiply(scale, add(value, least))))
        weight = if_greater(value, lowest, weight, zero)
        put_lanes(policy, first, weight)
        mass = add(mass, weight)
    whole = sum_of(mass)
    share = spread(np.float32(1.0) / whole) if whole > 0 else zero
    for first in range(0, points, LANES):
        if whole > 0:
            put_lanes(policy, first, multiply(lanes_at(policy, first), share))
        else:
            prior = lanes_at(trees.prior, begin + first)
            put_lanes(policy, first, greater(_of_legal(prior, prior, counted_from(first), points), zero))


@inlined
def _survey(trees: Trees, game: int, node: int, row: int) -> tuple[int, np.float32, np.float32]:
    """(the most visits of an edge, the mixed value, the highest of it and the visited edges' mean utilities).

    The mixed value is the evaluator's value of the node, averaged with its visited moves' values weighted by
    their priors.
    """
    points, begin, edges = trees.prior.shape[2], _first_prior(trees, game, node), _place_of_row(trees, game, row)
    zero, one, worst = spread(np.float32(0.0)), spread(np.float32(1.0)), spread(np.float32(-1.0))
    most, tried, seen, weighted, top = zero, zero, zero, zero, spread(_NEVER)
    for first in range(0, points, LANES):
        visits = counts_at(trees.edge_visits, edges + first)
        visits = _of_legal(visits, lanes_at(trees.prior, begin + first), counted_from(first), points)
        mean = divide(lanes_at(trees.total, edges + first), greater(visits, one))
        prior = if_greater(visits, zero, lanes_at(trees.prior, begin + first), zero)
        most = greater(visits, most)
        tried = add(tried, greater(visits, zero))
        seen = add(seen, prior)
        weighted = add(weighted, multiply(prior, if_greater(visits, zero, greater(mean, worst), zero)))
        top = greater(if_greater(visits, zero, mean, spread(_NEVER)), top)
    count = sum_of(tried)
    mixed = np.float32(trees.value[game, node])
    if count > 0:
        known = sum_of(weighted) / max(sum_of(seen), np.float32(1e-9))
        mixed = (mixed + count * known) / (np.float32(1.0) + count)
    return int(greatest_of(most)), mixed, max(mixed, greatest_of(top))


@inlined
def select_behind(trees: Trees, game: int, node: int, row: int, policy: NDArray[np.float32]) -> int:
    """The legal edge whose share of visits is furthest behind its share of the policy [Z]."""
    points, begin, edges = trees.prior.shape[2], _first_prior(trees, game, node), _place_of_row(trees, game, row)
    visits, edge_visits = 1, trees.edge_visits[game, row : row + points]
    for point in range(points):
        visits += edge_visits[point]
    share, lost = spread(np.float32(-1.0) / np.float32(visits)), spread(np.float32(LOST))
    best, where = spread(_NEVER), spread(_NOWHERE)
    for first in range(0, points, LANES):
        gap = add(lanes_at(policy, first), multiply(counts_at(trees.edge_visits, edges + first), share))
        gap = if_greater(lanes_at(trees.total, edges + first), lost, gap, spread(_NEVER))
        index = counted_from(first)
        gap = _of_legal(gap, lanes_at(trees.prior, begin + first), index, points)
        where = if_greater(gap, best, index, where)
        best = greater(gap, best)
    return _first_of_best(best, where, trees.prior[game, node])


@inlined
def select_halving(
    trees: Trees, game: int, row: int, halving_visits: int, gumbel: NDArray[np.float32], policy: NDArray[np.float32]
) -> int:
    """The root's move for this simulation of sequential halving.

    Of the moves that have been visited `halving_visits` times, the one with the highest Gumbel
    noise + log of the improved policy; if there is none, the highest of the least visited above.
    """
    prior = trees.prior[game, ROOT]
    end = row + len(prior)
    edge_visits, total = trees.edge_visits[game, row:end], trees.total[game, row:end]
    best, best_count, best_score = -1, 0, -np.inf
    for point in range(len(prior)):
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
