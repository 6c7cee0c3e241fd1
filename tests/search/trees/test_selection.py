"""Selection at hand-made nodes."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.rules.compiled import kernel
from gobang.rules.lanes import whole_lanes
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.edges import add_root, edge_for, lay_out, take_away
from gobang.search.trees.halving import halving_schedule, halving_table
from gobang.search.trees.selection import (
    improved_policy,
    select_behind,
    select_halving,
    select_prior,
    select_puct,
    select_ucb1,
)
from gobang.search.trees.tree import EXPANDED, ILLEGAL, LOST, ROOT, Trees, add_node, allocate
from gobang.types import Variant

POINTS = 9


@kernel
def puct(trees, parameters, scores):  # type: ignore[no-untyped-def]
    return select_puct(trees, parameters, 0, 0, lay_out(trees, 0, 0))


@kernel
def ucb1(trees, parameters, scores):  # type: ignore[no-untyped-def]
    return select_ucb1(trees, parameters, 0, 0, lay_out(trees, 0, 0), scores)


@kernel
def prior(trees, parameters, scores):  # type: ignore[no-untyped-def]
    return select_prior(trees, parameters, 0, 0, lay_out(trees, 0, 0))


@kernel
def behind(trees, parameters, scores):  # type: ignore[no-untyped-def]
    row = lay_out(trees, 0, 0)
    improved_policy(trees, parameters, 0, 0, row, scores)
    return select_behind(trees, 0, 0, row, scores)


@kernel
def deep_puct(trees, parameters):  # type: ignore[no-untyped-def]
    point = select_puct(trees, parameters, 1, 2, lay_out(trees, 1, 2))
    take_away(trees, 1, 2)
    return point


@kernel
def deep_behind(trees, parameters, scores):  # type: ignore[no-untyped-def]
    row = lay_out(trees, 1, 2)
    improved_policy(trees, parameters, 1, 2, row, scores)
    point = select_behind(trees, 1, 2, row, scores)
    take_away(trees, 1, 2)
    return point


@kernel
def halving(trees, parameters, visits, gumbel, scores):  # type: ignore[no-untyped-def]
    row = lay_out(trees, 0, 0)
    improved_policy(trees, parameters, 0, 0, row, scores)
    return select_halving(trees, 0, row, visits, gumbel, scores)


@kernel
def plant(trees, game):  # type: ignore[no-untyped-def]
    add_root(trees, game, 0)


@kernel
def put_edge(trees, game, node, point, visits, total):  # type: ignore[no-untyped-def]
    edge = edge_for(trees, game, node, point)
    trees.edge_visits[game, edge] = visits
    trees.total[game, edge] = total


@kernel
def put_node(trees, game, parent, point):  # type: ignore[no-untyped-def]
    edge = edge_for(trees, game, parent, point)
    trees.edge_visits[game, edge] = 1
    return add_node(trees, game, parent, point, edge, 0)


def node(prior: list[float], tries: list[int], total: list[float]) -> Trees:
    """One tree whose root has the given edges on the first points; the others are illegal."""
    trees = allocate(Variant(height=3, width=3, k=3), 1, 2)
    for array in trees:
        array[:] = 0
    plant(trees, 0)
    trees.state[0, 0] = EXPANDED
    trees.prior[0, 0] = ILLEGAL
    trees.prior[0, 0, : len(prior)] = prior
    for point, visits in enumerate(tries):
        if visits:
            put_edge(trees, 0, ROOT, point, visits, float(total[point]))
    trees.visits[0, 0] = 1 + sum(tries)
    trees.chances[0, 0] = [0.5, 0.5, 0]
    return trees


def scores() -> np.ndarray:
    return np.zeros(whole_lanes(POINTS), np.float32)


PARAMETERS = SearchConfig(c_puct=1.0, fpu="zero", fpu_reduction=0.0).parameters()


def test_puct_weighs_prior_against_value() -> None:
    assert puct(node([0.1, 0.9], [0, 0], [0, 0]), PARAMETERS, scores()) == 1
    assert puct(node([0.1, 0.9], [5, 5], [4, -4]), PARAMETERS, scores()) == 0


def test_the_bonus_of_the_prior_fades_with_the_moves_own_visits_alone() -> None:
    visited = node([0.9, 0.1], [100, 0], [0, 0])
    assert prior(visited, PARAMETERS, scores()) == 1  # 0.9 / 101 is less than 0.1
    often = node([0.5, 0.5], [400, 3], [40, -0.3])
    assert prior(often, PARAMETERS, scores()) == 0  # 0.1 + 0.5 / 401 is more than -0.1 + 0.5 / 4
    assert puct(often, PARAMETERS, scores()) == 1  # where the bonus grows with the root of all visits


def test_ucb1_tries_everything_first_and_ignores_priors_afterwards() -> None:
    assert ucb1(node([0.99, 0.005, 0.005], [3, 1, 0], [3, 1, 0]), PARAMETERS, scores()) == 2
    assert ucb1(node([0.01, 0.99], [2, 3], [0, 0]), PARAMETERS, scores()) == 0


@pytest.mark.parametrize("rule", [puct, ucb1, prior, behind])
def test_lost_and_illegal_moves_are_not_followed(rule) -> None:  # type: ignore[no-untyped-def]
    trees = node([0.9, 0.1, ILLEGAL], [3, 3, 0], [LOST, -3, 0])
    assert rule(trees, PARAMETERS, scores()) == 1


@pytest.mark.parametrize("rule", [puct, ucb1, prior, behind])
def test_a_legal_move_is_followed_even_if_all_are_lost(rule) -> None:  # type: ignore[no-untyped-def]
    trees = node([ILLEGAL, 0.9, 0.1], [0, 3, 3], [0, LOST, LOST])
    assert rule(trees, PARAMETERS, scores()) in (1, 2)


def test_halving_follows_noise_among_moves_of_the_phase() -> None:
    trees = node([0.4, 0.3, 0.3], [1, 1, 0], [0, 0, 0])
    gumbel = np.zeros(POINTS, np.float32)
    assert halving(trees, PARAMETERS, 0, gumbel, scores()) == 2
    gumbel[1] = 5
    assert halving(trees, PARAMETERS, 1, gumbel, scores()) == 1


def test_improved_policy_completes_unvisited_moves_with_the_mixed_value() -> None:
    trees = node([0.5, 0.25, 0.25], [4, 0, 0], [2, 0, 0])
    trees.value[0, 0] = -0.5
    policy = scores()
    behind(trees, PARAMETERS, policy)
    mixed = (-0.5 + 4 * 0.5) / 5
    weights = np.array([0.5 * np.exp(27 * 0.5), 0.25 * np.exp(27 * mixed), 0.25 * np.exp(27 * mixed)])
    np.testing.assert_allclose(policy[:3], weights / weights.sum(), rtol=1e-4)


def drawn_node(height: int, width: int, seed: int) -> tuple[Trees, np.ndarray, np.ndarray]:
    """The third node of the second tree, with its visits and totals: some moves illegal, some visited, one lost.

    It keeps few edges itself, or has a row; other nodes lie around it.
    """
    random = np.random.default_rng(seed)
    points = height * width
    trees = allocate(Variant(height=height, width=width, k=3), 2, 40)
    legal = random.random(points) < 0.8
    legal[0] = True
    visits = np.where(
        legal & (random.random(points) < (0.3 if seed % 2 else 2 / points)), random.integers(1, 9, points), 0
    )
    visits[0] = 2
    totals = (visits * random.uniform(-1, 1, points)).astype(np.float32)
    totals[0] = LOST
    for game in (0, 1):
        plant(trees, game)
        for point in range(3):
            put_node(trees, game, ROOT, point)
    trees.prior[:] = 0.9  # what a look behind the priors of the node would find
    trees.prior[1, 2] = np.where(legal, random.dirichlet(np.full(points, 0.3)), ILLEGAL)
    for node in (1, 2, 3):
        for point in np.flatnonzero(visits):
            put_edge(
                trees, 1, node, int(point), *((int(visits[point]), float(totals[point])) if node == 2 else (7, 1e30))
            )
    trees.value[1, 2] = 0.3
    trees.visits[1, 2] = 1 + visits.sum()
    trees.chances[1, 2] = [4, 3, 1]
    return trees, visits, totals


def plain_policy(prior: np.ndarray, visits: np.ndarray, total: np.ndarray) -> np.ndarray:
    """What `improved_policy` writes for that node, by the formulas."""
    tried, means = visits > 0, total / np.maximum(visits, 1)
    known = (prior * np.maximum(means, -1))[tried].sum() / prior[tried].sum()
    mixed = (0.3 + visits.sum() * known) / (1 + visits.sum())
    scale = 0.5 * PARAMETERS.c_scale * (PARAMETERS.c_visit + visits.max())
    weights = np.maximum(prior, 0) * np.exp(scale * np.where(tried, means, mixed))
    return weights / weights.sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("height", "width"), [(3, 3), (4, 4), (5, 7), (15, 15)])
def test_rules_choose_as_their_formulas_do(height: int, width: int, seed: int) -> None:
    (trees, visits, total), points = drawn_node(height, width, seed), height * width
    prior = trees.prior[1, 2].astype(float)
    means = np.where(visits > 0, total / np.maximum(visits, 1), (4 - 3) / 8 - 0.2)
    score = means + 1.5 * np.sqrt(1 + visits.sum()) * prior / (1 + visits)
    parameters = SearchConfig(c_puct=1.5, fpu="parent", fpu_reduction=0.2).parameters()
    assert deep_puct(trees, parameters) == np.where(prior >= 0, score, -np.inf).argmax()

    policy = np.zeros(whole_lanes(points), np.float32)
    chosen = deep_behind(trees, PARAMETERS, policy)
    expected = plain_policy(prior, visits, total)
    np.testing.assert_allclose(policy[:points], expected, rtol=1e-3, atol=1e-6)
    gap = expected - visits / (1 + visits.sum())
    assert chosen == np.where((prior >= 0) & (total > LOST), gap, -np.inf).argmax()


def test_schedule_halves_the_moves() -> None:
    assert halving_schedule(4, 8).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert halving_schedule(16, 16).tolist() == [0] * 16
    assert halving_schedule(1, 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("moves", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("simulations", [1, 16, 50, 400])
def test_schedule_can_be_followed(moves: int, simulations: int) -> None:
    """At each simulation some move has just the visits that the schedule asks for."""
    visits = [0] * moves
    for wanted in halving_schedule(moves, simulations):
        assert wanted in visits
        visits[visits.index(wanted)] += 1


def test_table_has_a_row_for_each_number_of_moves() -> None:
    table = halving_table(16, 64)
    assert table.shape == (17, 64)
    assert table[5].tolist() == halving_schedule(5, 64).tolist()
    assert halving_table(16, 8).shape == (9, 8)
