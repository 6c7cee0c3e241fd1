"""A search's proofs against exact solutions of small positions."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.rollout import RolloutSearch
from gobang.search.trees.search import IN_HALVES, Search, SearchResult
from gobang.types import UNDECIDED, Variant
from tests.search.brute_force import forces_win, random_positions
from tests.search.evaluators import HashedEvaluator

CASES = [
    Variant.square(4, k=3),
    Variant.square(5, k=4),
    Variant(height=6, width=4, k=4, rule="standard"),
    Variant.square(6, rule="renju"),
    Variant.square(6, rule="caro"),
]
EMPTY = 9  # points left in each position


def small_positions(variant: Variant, count: int, seed: int) -> list[Position]:
    rng = np.random.default_rng(seed)
    cells, to_move = random_positions(variant, count, rng, (EMPTY - 3, EMPTY))
    found = []
    for row, player in zip(cells, to_move, strict=True):
        stones = [np.flatnonzero(row == other + 1).tolist() for other in range(variant.players)]
        position = Position.from_stones(variant, stones, int(player))
        if position.outcome == UNDECIDED and position.legal().any():
            found.append(position)
    return found


def exact_outcome(position: Position) -> int:
    """The outcome of a two-player position under best play."""
    table = geometry(position.variant)
    for player in (0, 1):
        if forces_win(table, position.cells.copy(), position.to_move, player):
            return player
    return position.variant.draw


def check(positions: list[Position], result: SearchResult) -> int:
    """Compare all that is proven; returns how much that was."""
    for row, position in enumerate(positions):
        proven = int(result.proven[row])
        if proven == UNDECIDED:
            continue
        assert proven == exact_outcome(position), str(position)
        after = position.copy()
        after.play(int(result.moves[row]))
        if proven != 1 - position.to_move:
            assert (after.outcome if after.outcome != UNDECIDED else exact_outcome(after)) == proven
    return int((result.proven != UNDECIDED).sum())


@pytest.mark.parametrize("variant", CASES, ids=str)
@pytest.mark.parametrize("algorithm", ["puct", "gumbel", "ucb1"])
@pytest.mark.parametrize("solver_nodes", [0, 200])
def test_proofs_are_true(variant: Variant, algorithm: str, solver_nodes: int) -> None:
    positions = small_positions(variant, 60, solver_nodes)
    config = SearchConfig(simulations=400, algorithm=algorithm, solver_nodes=solver_nodes, leaves=2)
    search = Search(
        variant,
        config,
        HashedEvaluator(variant),
        games=len(positions),
        rng=np.random.default_rng(1),
        questions=IN_HALVES,
    )
    assert check(positions, search.run(positions)) > len(positions) / 4


@pytest.mark.parametrize("variant", CASES, ids=str)
def test_proofs_of_rollouts_are_true(variant: Variant) -> None:
    positions = small_positions(variant, 40, 7)
    search = RolloutSearch(variant, SearchConfig(simulations=2000, c_puct=5.0), seed=1)
    assert check(positions, search.run(positions)) > len(positions) / 4


def settled_outcome(position: Position) -> int:
    """Any number of players: the outcome if all agree that it is certain, else UNDECIDED."""

    @functools.cache
    def settle(moves: tuple[int, ...]) -> int:
        now = position.copy()
        for move in moves:
            now.play(move)
        if now.outcome != UNDECIDED:
            return now.outcome
        outcomes = {settle((*moves, int(point))) for point in np.flatnonzero(now.legal())}
        if now.to_move in outcomes:
            return now.to_move
        if UNDECIDED in outcomes:
            return UNDECIDED
        if now.variant.draw in outcomes:
            return now.variant.draw
        return outcomes.pop() if len(outcomes) == 1 else UNDECIDED

    return settle(())


@pytest.mark.parametrize("players", [3, 4])
def test_proofs_for_more_players_are_those_that_nobody_can_change(players: int) -> None:
    variant = Variant.square(4, k=3, players=players)
    rng = np.random.default_rng(players)
    positions = []
    while len(positions) < 25:
        position = Position(variant)
        while position.outcome == UNDECIDED and len(position.moves) < 11:
            position.play(int(rng.choice(np.flatnonzero(position.legal()))))
        if position.outcome == UNDECIDED:
            positions.append(position)
    config = SearchConfig(simulations=500)
    search = Search(variant, config, HashedEvaluator(variant), games=len(positions), rng=rng)
    result = search.run(positions)
    for row, position in enumerate(positions):
        if result.proven[row] != UNDECIDED:
            assert result.proven[row] == settled_outcome(position)
    assert (result.proven != UNDECIDED).sum() > 5
