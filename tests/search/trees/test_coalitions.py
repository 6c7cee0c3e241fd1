"""Among three and more: what one gains the others lose, and no seat is favoured by who cannot win."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.interfaces import Ticket
from gobang.rules.compiled import kernel
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import Search
from gobang.search.trees.tree import ROOT, utility
from gobang.types import UNDECIDED, Evaluations, Positions, Variant
from tests.search.evaluators import EvenEvaluator, HashedEvaluator

VARIANT = Variant.square(6, k=4, players=3)


@kernel
def utility_of(chances, player):  # type: ignore[no-untyped-def]
    return utility(chances, player)


def random_stones(seed: int) -> Position:
    rng = np.random.default_rng(seed)
    position = Position(VARIANT)
    for point in rng.permutation(VARIANT.points)[: 6 + seed % 5].tolist():
        position.play(point)
    return position


@pytest.mark.parametrize("players", [2, 3, 4])
def test_utilities_are_zero_sum_throughout_a_tree(players: int) -> None:
    variant = Variant.square(5, k=4, players=players)
    search = Search(variant, SearchConfig(simulations=300), HashedEvaluator(variant), rng=np.random.default_rng(1))
    search.run([Position(variant, (0, 7, 13))])
    trees = search._trees
    nodes = range(int(trees.size[0]))
    assert len(nodes) > 100
    for node in nodes:
        worth = [utility_of(trees.chances[0, node], player) for player in range(players)]
        assert sum(worth) == pytest.approx(0, abs=1e-3)
    for player in range(players):
        for outcome in range(players + 1):
            points = 1 + (players - 1) * utility_of(np.eye(players + 1, dtype=np.float32)[outcome], player)
            assert points == (players if outcome == player else 1 if outcome == players else 0)
    assert trees.visits[0, ROOT] >= 300


def best_play(position: Position) -> set[int]:
    """The outcomes of max-n: each player takes what is best for itself, in ties any of it."""
    if position.outcome != UNDECIDED:
        return {position.outcome}
    worth = {position.to_move: 2, position.variant.draw: 0}
    ends = after_each(position)
    sure = max(min(worth.get(outcome, -1) for outcome in outcomes) for outcomes in ends.values())
    return {outcome for outcomes in ends.values() for outcome in outcomes if worth.get(outcome, -1) >= sure}


def after_each(position: Position) -> dict[int, set[int]]:
    """The same behind each legal move."""
    ends = {}
    for move in np.flatnonzero(position.legal()).tolist():
        position.play(move)
        ends[move] = best_play(position)
        position.undo()
    return ends


@pytest.mark.parametrize("players", [3, 4])
def test_the_search_moves_as_each_player_s_best_play_does(players: int) -> None:
    """In positions in which it is known what that comes to, though some moves come to something else."""
    variant, rng = Variant.square(4, k=3, players=players), np.random.default_rng(3)
    config = SearchConfig(simulations=3000, solver=False)
    search = Search(variant, config, EvenEvaluator(variant), rng=np.random.default_rng(0))
    seen = []
    while len(seen) < 20:
        position = Position(variant)
        for point in rng.permutation(variant.points)[: 10 + len(seen) % 2].tolist():
            if position.outcome == UNDECIDED:
                position.play(point)
        ends, behind = best_play(position), after_each(position)
        if position.outcome == UNDECIDED and len(ends) == 1 and any(each != ends for each in behind.values()):
            assert behind[int(search.run([position]).moves[0])] == ends, str(position)
            seen.append("draw" if variant.draw in ends else "win" if position.to_move in ends else "loss")
    assert len(set(seen)) > 1


class KingMaker(HashedEvaluator):
    """The side to move at the root has lost: the next player wins if it goes to an even point, else the one after."""

    def __init__(self, root: Position) -> None:
        super().__init__(root.variant, seed=len(root.moves))
        self._root = root

    def submit(self, positions: Positions) -> Ticket:
        return positions, super().submit(positions)

    def collect(self, ticket: Ticket) -> Evaluations:
        positions, rows = ticket
        players, loser = self._root.variant.players, self._root.to_move
        chances = np.zeros((len(positions), players + 1), np.float32)
        for row, (cells, mover) in enumerate(zip(positions.cells, positions.to_move, strict=True)):
            added = np.flatnonzero((cells == loser + 1) & (self._root.cells == 0))
            winner = loser + 1 + (int(added[0]) % 2 if len(added) else 0)
            chances[row, (winner - mover) % players] = 1
        return Evaluations(priors=super().collect(rows).priors, chances=chances)


def test_who_cannot_win_does_not_throw_the_game_to_one_other() -> None:
    """Both others win as often: the network's priors decide, not the seat that is given the game."""
    given = []
    for seed in range(60):
        root = random_stones(seed)
        config = SearchConfig(simulations=60, solver=False)
        search = Search(VARIANT, config, KingMaker(root), rng=np.random.default_rng(0))
        given.append((int(search.run([root]).moves[0]) % 2, root.to_move))
    assert 0.25 < np.mean([choice for choice, _ in given]) < 0.75
    for seat in range(3):
        assert {choice for choice, mover in given if mover == seat} == {0, 1}


@pytest.mark.parametrize("solver", [False, True])
def test_no_seat_is_another_s_friend(solver: bool) -> None:
    """The same position with all seats moved on by one, and so the same order of play, is searched alike."""
    for seed in range(5):
        position = random_stones(seed)
        stones = [np.flatnonzero(position.cells == player + 1).tolist() for player in range(3)]
        visits = []
        for shift in range(3):
            moved = [stones[(player - shift) % 3] for player in range(3)]
            shifted = Position.from_stones(VARIANT, moved, (position.to_move + shift) % 3)
            config = SearchConfig(simulations=200, solver=solver)
            search = Search(VARIANT, config, EvenEvaluator(VARIANT), rng=np.random.default_rng(0))
            visits.append(search.run([shifted]).visits[0])
        assert np.array_equal(visits[0], visits[1])
        assert np.array_equal(visits[0], visits[2])


@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_who_cannot_but_lose_still_has_a_legal_move(players: int, algorithm: str) -> None:
    variant = Variant.square(4, k=3, players=players)
    config = SearchConfig(simulations=8, algorithm=algorithm)
    search = Search(variant, config, EvenEvaluator(variant), games=64, rng=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    positions: list[Position] = []
    while len(positions) < 640:
        position = Position(variant)
        for point in rng.permutation(variant.points)[: rng.integers(0, 12)].tolist():
            if position.outcome == UNDECIDED:
                position.play(point)
        positions += [position] * (position.outcome == UNDECIDED)
    for start in range(0, len(positions), 64):
        result = search.run(positions[start : start + 64])
        legal = np.array([position.legal() for position in positions[start : start + 64]])
        assert result.policy.sum(1) == pytest.approx(np.ones(64), abs=1e-5)
        assert np.all(legal[np.arange(64), result.moves])
        assert not result.policy[~legal].any()
