"""Random games and the tree search on top of them."""

from __future__ import annotations

import numpy as np
import pytest

from gobang.rules.geometry import geometry
from gobang.rules.position import Position, parse_point
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.edges import edges_by_point
from gobang.search.trees.playout import play_out, play_out_many, playout_workspace
from gobang.search.trees.rollout import RolloutSearch
from gobang.types import UNDECIDED, Variant

VARIANTS = [
    Variant.square(8),
    Variant.square(6, k=4, rule="standard"),
    Variant(height=5, width=9, k=4, players=3),
    Variant.square(5, k=3, players=4),
    Variant.square(7, rule="renju"),
    Variant.square(7, rule="caro"),
]


def random_seed(workspace, seed: int) -> None:  # type: ignore[no-untyped-def]
    workspace.random[0] = np.random.default_rng(seed).integers(1, 2**63, dtype=np.uint64)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_random_game_ends_by_the_rules(variant: Variant) -> None:
    """The stones added belong to alternate players, and the outcome is that of the final board."""
    workspace = playout_workspace(variant, len(geometry(variant).mask))
    outcomes = set()
    for seed in range(60):
        random_seed(workspace, seed)
        position = Position(variant, [seed % variant.points])
        cells = position.cells.copy()
        outcome = play_out(geometry(variant), workspace, cells, position.to_move)
        stones = [int((cells == player + 1).sum()) for player in range(variant.players)]
        assert max(stones) - min(stones) <= 1
        assert cells[position.moves[0]] == 1
        outcomes.add(outcome)
        winners = [
            player
            for player in range(variant.players)
            if has_row(variant, cells.reshape(variant.height, variant.width) == player + 1, player)
        ]
        assert winners == ([] if outcome == variant.draw else [outcome])
    assert len(outcomes) > 1


def has_row(variant: Variant, stones: np.ndarray, player: int) -> bool:
    """Whether some unbroken row of a player wins, looked for in all directions."""
    exact = variant.rule == "standard" or (variant.rule == "renju" and player == 0)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row, column in np.argwhere(stones):
            if on_board(stones, row - down, column - right):
                continue
            length = 0
            while on_board(stones, row + length * down, column + length * right):
                length += 1
            if length == variant.k or (length > variant.k and not exact):
                return True
    return False


def on_board(stones: np.ndarray, row: int, column: int) -> bool:
    return 0 <= row < stones.shape[0] and 0 <= column < stones.shape[1] and bool(stones[row, column])


def test_random_games_agree_with_python() -> None:
    """Black's share of wins on 5x5, four in a row, against the same games played in Python."""
    variant = Variant.square(5, k=4)
    workspace = playout_workspace(variant, len(geometry(variant).mask))
    random_seed(workspace, 1)
    tally = np.zeros(3, np.int64)
    position = Position(variant)
    play_out_many(geometry(variant), workspace, position.cells, 0, np.zeros(25, np.int8), tally, 40_000)
    rng = np.random.default_rng(0)
    plain = np.zeros(3, np.int64)
    for _ in range(600):
        game = Position(variant)
        while game.outcome == UNDECIDED:
            game.play(int(rng.choice(np.flatnonzero(game.legal()))))
        plain[game.outcome] += 1
    error = np.sqrt(plain / 600 * (1 - plain / 600) / 600)
    assert (np.abs(tally / 40_000 - plain / 600) < 4 * error + 0.01).all()


def rollouts(variant: Variant, simulations: int, solver: bool = False, seed: int = 0) -> RolloutSearch:
    config = SearchConfig(simulations=simulations, c_puct=5.0, fpu="zero", fpu_reduction=0.0, solver=solver)
    return RolloutSearch(variant, config, seed=seed)


@pytest.mark.parametrize("solver", [False, True])
def test_finds_a_win_and_a_block(solver: bool) -> None:
    variant = Variant.square(8)
    for text, expected in (
        ("d4 a1 d5 a2 d6 a3 d7 h8", {"d3", "d8"}),
        ("a1 d4 b1 d5 h1 d6 d8 d7", {"d3"}),
    ):
        position = Position(variant, [parse_point(variant, name) for name in text.split()])
        result = rollouts(variant, 3000, solver).run([position])
        assert int(result.moves[0]) in {parse_point(variant, name) for name in expected}


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_statistics_add_up(variant: Variant) -> None:
    search = rollouts(variant, 500)
    result = search.run([Position(variant)])
    assert result.visits.sum() == 500
    assert result.chances.sum() == pytest.approx(1, abs=1e-4)
    trees = search._trees
    for node in range(1, trees.size[0]):
        parent, point = trees.parent[0, node], trees.point[0, node]
        assert (
            trees.visits[0, node] == edges_by_point(trees, 0, parent).visits[point] - 1
        )  # the first visit made no node


def test_same_seed_same_search_whatever_came_before() -> None:
    variant = Variant.square(8)
    first, second = Position(variant), Position(variant, [27])
    once = rollouts(variant, 400, seed=5)
    again = rollouts(variant, 400, seed=5)
    again.run([second])
    assert once.run([first]).visits.tolist() == again.run([first]).visits.tolist()
    assert rollouts(variant, 400, seed=6).run([first]).visits.tolist() != once.run([first]).visits.tolist()


def test_prefers_the_centre_of_an_empty_board() -> None:
    visits = rollouts(Variant.square(8), 30_000).run([Position(Variant.square(8))]).visits.reshape(8, 8)
    assert visits[2:6, 2:6].sum() > visits.sum() / 2


def test_goes_on_when_its_tree_is_full() -> None:
    variant = Variant.square(20)
    config = SearchConfig(simulations=3000, c_puct=0.2, fpu="zero", fpu_reduction=0.0, solver=False)
    search = RolloutSearch(variant, config, seed=0, memory_mb=1)
    assert search.run([Position(variant)]).visits.sum() == 3000
    assert search._trees.size[0] == search._trees.parent.shape[1]
