"""What a search tree says of its root: the best moves, each with its chances and the best play behind it.

Plain Python: it reads a few dozen numbers, a few times a second.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.search.trees.edges import EdgesByPoint, edges_by_point
from gobang.search.trees.forest import Forest
from gobang.search.trees.roots import leading_move
from gobang.search.trees.tree import EXPANDED, LOST, NO_NODE, ROOT, Trees
from gobang.types import NO_MOVE, UNDECIDED, Analysis, MoveAnalysis

_LONGEST_LINE: Final = 30

Floats = NDArray[np.float32]


def read_analysis(forest: Forest, game: int, visits: int, most: int) -> Analysis:
    """The root of a game's tree after so many simulations, with at most `most` moves."""
    trees, points = forest.trees, forest.trees.prior.shape[2]
    is_open = trees.size[game] > 0 and trees.state[game, ROOT] == EXPANDED
    priors = _priors(forest, game) if is_open else np.zeros(points, np.float32)
    edges = edges_by_point(trees, game, ROOT)
    listed = _best_points(forest, game, edges, most) if is_open else _certain_point(trees, game)
    return Analysis(
        visits=visits,
        chances=_chances(trees, game, ROOT),
        proven=_status(trees, game, ROOT),
        moves=tuple(_move(trees, game, edges, point, float(priors[point])) for point in listed),
        priors=priors,
    )


def _priors(forest: Forest, game: int) -> Floats:
    """The evaluator's priors of an open root, of which the tree may hold the square roots."""
    priors: Floats = np.maximum(forest.trees.prior[game, ROOT], 0).astype(np.float32)
    if forest.parameters.soft_priors:
        priors *= priors
        priors /= priors.sum()
    return priors


def _best_points(forest: Forest, game: int, edges: EdgesByPoint, most: int) -> list[int]:
    """Moves that were looked at: the one to play first, lost ones last, else by visits and then by value."""
    visits, totals = edges.visits, edges.totals
    seen = [int(point) for point in np.flatnonzero(visits)]
    best = int(forest.trees.best[game, ROOT])
    if best == NO_MOVE:
        best = leading_move(forest, game)
    elif best not in seen:
        seen.append(best)
    return sorted(
        seen,
        key=lambda point: (point != best, totals[point] == LOST, -visits[point], -_mean(totals, visits, point)),
    )[:most]


def _certain_point(trees: Trees, game: int) -> list[int]:
    """The move of a root that needed no search; there is none where every move loses, or before the search."""
    if trees.size[game] == 0 or trees.best[game, ROOT] == NO_MOVE:
        return []
    return [int(trees.best[game, ROOT])]


def _move(trees: Trees, game: int, edges: EdgesByPoint, point: int, prior: float) -> MoveAnalysis:
    child = int(edges.children[point])
    if child == NO_NODE:
        proven = _status(trees, game, ROOT) if int(trees.best[game, ROOT]) == point else UNDECIDED
        chances = _chances_of_edge(trees, game, edges, point) if proven == UNDECIDED else _certain(trees, proven)
    else:
        proven, chances = _status(trees, game, child), _chances(trees, game, child)
    return MoveAnalysis(
        point=point,
        visits=int(edges.visits[point]),
        prior=prior,
        chances=chances,
        proven=proven,
        line=(point, *_line(trees, game, child)),
    )


def _line(trees: Trees, game: int, node: int) -> list[int]:
    """The most visited moves from a node on, as far as there are nodes; a proof's own move where it is known."""
    line: list[int] = []
    while node != NO_NODE and len(line) < _LONGEST_LINE:
        point, edges = int(trees.best[game, node]), edges_by_point(trees, game, node)
        if point == NO_MOVE:
            if not edges.visits.any():
                break
            point = int(np.argmax(edges.visits))
        line.append(point)
        node = int(edges.children[point])
    return line


def _chances(trees: Trees, game: int, node: int) -> tuple[float, ...]:
    """Mean chances of a node by player, or those of its certain outcome; even ones before the first answer."""
    status = _status(trees, game, node)
    sums = trees.chances[game, node]
    if status != UNDECIDED:
        return _certain(trees, status)
    mass = float(sums.sum()) if trees.size[game] > 0 else 0.0
    return tuple(float(each) / mass for each in sums) if mass > 0 else _even(trees)


def _chances_of_edge(trees: Trees, game: int, edges: EdgesByPoint, point: int) -> tuple[float, ...]:
    """Of a move that has no node: from its mean utility, as if there were no draws."""
    players, mover = trees.chances.shape[2] - 1, int(trees.mover[game, ROOT])
    utility = _mean(edges.totals, edges.visits, point)
    win = (utility * (players - 1) + 1) / players
    others = (1 - win) / (players - 1)
    return (*(win if player == mover else others for player in range(players)), 0.0)


def _mean(totals: Floats, visits: NDArray[np.int32], point: int) -> float:
    return float(totals[point]) / max(int(visits[point]), 1)


def _status(trees: Trees, game: int, node: int) -> int:
    return int(trees.status[game, node]) if trees.size[game] > 0 else UNDECIDED


def _certain(trees: Trees, outcome: int) -> tuple[float, ...]:
    if outcome == UNDECIDED:
        return _even(trees)
    return tuple(float(index == outcome) for index in range(trees.chances.shape[2]))


def _even(trees: Trees) -> tuple[float, ...]:
    width: int = trees.chances.shape[2]
    return (1 / width,) * width
