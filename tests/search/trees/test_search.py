"""The array search against a plain one, and what it promises of its results."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gobang.errors import GobangError, InvalidConfig
from gobang.interfaces import Evaluator, Ticket
from gobang.rules.position import Position, parse_point
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.edges import edges_by_point
from gobang.search.trees.search import IN_HALVES, Search, SearchResult
from gobang.search.trees.tree import bytes_per_node
from gobang.types import UNDECIDED, Positions, Variant
from tests.search.consistency import assert_consistent
from tests.search.evaluators import EvenEvaluator, FailingEvaluator, GamblingEvaluator, HashedEvaluator, LateEvaluator
from tests.search.plain_search import PlainSearch

SMALL = Variant.square(4, k=3)


def position_after(variant: Variant, text: str) -> Position:
    return Position(variant, [parse_point(variant, name) for name in text.split()])


def random_position(variant: Variant, plies: int, seed: int) -> Position:
    rng = np.random.default_rng(seed)
    while True:
        position = Position(variant)
        while len(position.moves) < plies and position.outcome == UNDECIDED:
            position.play(int(rng.choice(np.flatnonzero(position.legal()))))
        if position.outcome == UNDECIDED:
            return position


def searched(position: Position, evaluator: Evaluator | None = None, **options: object) -> SearchResult:
    config = SearchConfig(**options)  # type: ignore[arg-type]
    evaluator = evaluator or HashedEvaluator(position.variant)
    return Search(position.variant, config, evaluator, rng=np.random.default_rng(0)).run([position])


@pytest.mark.parametrize("algorithm", ["puct", "ucb1", "prior"])
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(("fpu", "soft_priors"), [("parent", False), ("zero", False), ("parent", True)])
def test_visits_equal_those_of_the_plain_search(algorithm: str, players: int, fpu: str, soft_priors: bool) -> None:
    variant = Variant.square(4, k=3, players=players)
    config = SearchConfig(simulations=150, algorithm=algorithm, fpu=fpu, soft_priors=soft_priors, solver=False)
    for seed in range(8):
        position = random_position(variant, seed % 5, seed)
        root = PlainSearch(config, HashedEvaluator(variant)).run(position)
        result = Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(0)).run([position])
        expected = [root.edges[point].visits if point in root.edges else 0 for point in range(variant.points)]
        assert result.visits[0].tolist() == expected
        np.testing.assert_allclose(result.chances[0], root.chances / root.chances.sum(), atol=1e-5)


class CuriousEvaluator(EvenEvaluator):
    """Keeps what it was asked."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant)
        self.asked: list[tuple[list[int], list[int]]] = []  # cells and last moves of each position

    def submit(self, positions: Positions) -> Ticket:
        self.asked += zip(positions.cells.tolist(), positions.last_moves.tolist(), strict=True)
        return super().submit(positions)


def test_among_three_positions_are_asked_about_with_the_last_move_of_each() -> None:
    variant = Variant.square(4, k=4, players=3)
    root, evaluator = random_position(variant, 4, 1), CuriousEvaluator(variant)
    searched(root, evaluator, simulations=60, solver=False)
    assert evaluator.asked[0][1] == root.last_moves
    for cells, last_moves in evaluator.asked:
        added = sum(map(bool, cells)) - len(root.moves)
        assert last_moves[added:] == root.last_moves[: max(0, 3 - added)]
        assert [cells[move] for move in last_moves] == [(3 + added - ago) % 3 + 1 for ago in range(3)]


@pytest.mark.parametrize("plies", range(6))
def test_gumbel_expects_what_the_moves_of_its_policy_lead_to(plies: int) -> None:
    position = random_position(SMALL, plies, plies)
    config = SearchConfig(simulations=80, algorithm="gumbel", solver=False)
    search = Search(SMALL, config, HashedEvaluator(SMALL), rng=np.random.default_rng(0))
    result = search.run([position])
    trees, visited = search._trees, np.flatnonzero(result.visits[0])
    nodes = edges_by_point(trees, 0, 0).children[visited]
    means = trees.chances[0, nodes] / trees.chances[0, nodes].sum(axis=1, keepdims=True)
    proven = trees.status[0, nodes] != UNDECIDED
    means[proven] = np.eye(3)[trees.status[0, nodes[proven]]]
    shares = result.policy[0, visited] / result.policy[0, visited].sum()
    np.testing.assert_allclose(result.chances[0], shares @ means, atol=1e-5)
    everything = trees.chances[0, 0] / trees.chances[0, 0].sum()
    assert result.chances[0, position.to_move] > everything[position.to_move]


def test_gumbel_below_the_root_equals_the_plain_search() -> None:
    """With one considered move, sequential halving follows one edge; below it the plain rule holds."""
    variant = SMALL
    config = SearchConfig(simulations=60, algorithm="gumbel", considered=2, solver=False)
    position = random_position(variant, 3, 1)
    search = Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(0))
    result = search.run([position])
    plain = PlainSearch(config, HashedEvaluator(variant))
    edges = edges_by_point(search._trees, 0, 0)
    for point in np.flatnonzero(result.visits[0]):
        child = position.copy()
        child.play(int(point))
        visits = int(result.visits[0, point])
        shallow = SearchConfig(simulations=visits - 1, algorithm="gumbel", considered=2, solver=False)
        root = PlainSearch(shallow, HashedEvaluator(variant)).run(child)
        expected = [root.edges[other].visits if other in root.edges else 0 for other in range(variant.points)]
        assert edges_by_point(search._trees, 0, edges.children[point]).visits.tolist() == expected
    root = plain.run(position)
    for point, edge in root.edges.items():  # give the plain root what the search found, compare the policy
        edge.visits = int(result.visits[0, point])
        edge.total = float(edges.totals[point])
    improved = plain.improved(root)
    for point, share in improved.items():
        assert result.policy[0, point] == pytest.approx(share, abs=1e-5)


@pytest.mark.parametrize("algorithm", ["puct", "ucb1", "prior", "gumbel"])
@pytest.mark.parametrize("leaves", [1, 8])
@pytest.mark.parametrize("solver", [False, True])
def test_tree_is_consistent(algorithm: str, leaves: int, solver: bool) -> None:
    variant = Variant.square(6, k=4)
    position = random_position(variant, 4, 3)
    config = SearchConfig(simulations=300, algorithm=algorithm, leaves=leaves, solver=solver, solver_nodes=0)
    search = Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(0))
    search.run([position])
    assert_consistent(search)


@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
def test_many_games_equal_single_games(algorithm: str) -> None:
    """Games in lock step, pipelined or not, do not influence each other."""
    variant = Variant.square(6, k=4)
    positions = [random_position(variant, plies, plies) for plies in range(9)]
    config = SearchConfig(simulations=64, algorithm=algorithm)
    alone = [searched(position, simulations=64, algorithm=algorithm) for position in positions]
    for pipelined in (False, True):
        evaluator = LateEvaluator(HashedEvaluator(variant))
        search = Search(
            variant,
            config,
            evaluator,
            games=len(positions),
            rng=np.random.default_rng(0),
            questions=IN_HALVES if pipelined else 1,
        )
        together = search.run(positions)
        assert evaluator.most_in_flight == (2 if pipelined else 1)
        for row, result in enumerate(alone):
            assert together.visits[row].tolist() == result.visits[0].tolist()
            assert together.moves[row] == result.moves[0]


def test_uses_its_budget_and_no_more() -> None:
    result = searched(random_position(Variant.square(8), 6, 0), simulations=200, solver=False)
    assert result.visits.sum() == 200
    assert result.policy.sum() == pytest.approx(1)
    assert result.evaluations <= 201


@pytest.mark.parametrize("solver", [False, True])
def test_takes_a_win_in_one(solver: bool) -> None:
    position = position_after(Variant.square(8), "d4 a1 d5 a2 d6 a3 d7 h8")
    result = searched(position, EvenEvaluator(position.variant), simulations=600, solver=solver)
    assert result.moves[0] in (parse_point(position.variant, "d8"), parse_point(position.variant, "d3"))
    assert result.chances[0, 0] > (0.99 if solver else 0.6)
    assert result.evaluations == 0 or not solver


@pytest.mark.parametrize("solver", [False, True])
def test_blocks_a_four(solver: bool) -> None:
    position = position_after(Variant.square(8), "a1 d4 b1 d5 h1 d6 d7 a8 h8 d3")
    result = searched(position, EvenEvaluator(position.variant), simulations=5000, solver=solver)
    assert result.moves[0] == parse_point(position.variant, "d2")
    if solver:
        assert np.flatnonzero(result.policy[0]).tolist() == [parse_point(position.variant, "d2")]


def test_proven_moves_cost_no_evaluation_and_end_the_search() -> None:
    position = position_after(Variant.square(8), "d4 a1 d5 a8 d6 h1")  # an open three, black to move
    result = searched(position, simulations=10_000)
    assert result.proven[0] == 0
    assert result.evaluations == 0
    assert result.chances[0].tolist() == [1, 0, 0]


def test_proves_by_search_alone() -> None:
    """With the solver's continuous fours off, proofs still rise through the tree."""
    position = position_after(Variant.square(8), "d4 a1 d5 a8 d6 h1")
    result = searched(position, simulations=3000, solver_nodes=0)
    assert result.proven[0] == 0
    assert result.policy[0, result.moves[0]] == 1


def test_gives_a_lost_move_no_weight() -> None:
    position = position_after(Variant.square(8), "a1 d4 b1 d5 h1 d6")  # white threatens an open four
    for algorithm in ("puct", "gumbel"):
        result = searched(position, simulations=600, algorithm=algorithm, solver_nodes=50)
        near = {parse_point(position.variant, name) for name in ("d3", "d7", "d2", "d8")}
        assert set(np.flatnonzero(result.policy[0]).tolist()) <= near


def test_a_draw_is_proven() -> None:
    variant = Variant(height=3, width=3, k=3)
    result = searched(position_after(variant, "b2 a1"), EvenEvaluator(variant), simulations=5000)
    assert result.proven[0] == variant.draw


@pytest.mark.parametrize("moves", ["", "d4"])
@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
def test_contempt_prefers_a_gamble_to_a_draw(moves: str, algorithm: str) -> None:
    position = position_after(Variant.square(4, k=4), moves)
    gamble = GamblingEvaluator(position.variant, owner=position.to_move)
    options = {"simulations": 200, "algorithm": algorithm, "solver": False}
    assert searched(position, gamble, **options).moves[0] != 0
    assert searched(position, gamble, **options, contempt=0.5).moves[0] == 0


def test_more_players_get_their_own_outcomes() -> None:
    variant = Variant.square(6, k=4, players=3)
    position = position_after(variant, "a1 c3 f6 b1 d3 f5 c1")  # black wins at d1 unless white or the third blocks
    result = searched(position, simulations=300)
    assert result.chances.shape == (1, 4)
    assert result.chances.sum() == pytest.approx(1, abs=1e-4)


def test_renju_search_never_plays_a_forbidden_point() -> None:
    variant = Variant(height=9, width=9, rule="renju")
    for seed in range(6):
        position = random_position(variant, 20, seed)
        result = searched(position, simulations=100, solver=bool(seed % 2))
        assert not result.visits[0][~position.legal()].any()


@pytest.mark.parametrize("solver", [False, True])
def test_reuse_keeps_the_subtree(solver: bool) -> None:
    variant = Variant.square(6, k=4)
    config = SearchConfig(simulations=300, reuse=True, solver=solver, solver_nodes=0)
    evaluator = HashedEvaluator(variant)
    search = Search(variant, config, evaluator, rng=np.random.default_rng(0))
    position = random_position(variant, 2, 0)
    move = int(search.run([position]).moves[0])
    reply_row = edges_by_point(search._trees, 0, edges_by_point(search._trees, 0, 0).children[move]).visits
    reply = int(reply_row.argmax())
    kept = int(reply_row[reply])
    position.play(move)
    position.play(reply)
    result = search.run([position])
    assert result.visits.sum() == 300
    assert result.evaluations <= 300 - kept + 1
    assert_consistent(search)


def test_reuse_of_a_tree_equals_its_part() -> None:
    """A kept subtree holds the statistics that it had."""
    variant = Variant.square(5, k=4)
    search = Search(
        variant, SearchConfig(simulations=400, reuse=True, solver=False), HashedEvaluator(variant),
        rng=np.random.default_rng(0),
    )  # fmt: skip
    position = Position(variant)
    move = int(search.run([position]).moves[0])
    before = edges_by_point(search._trees, 0, edges_by_point(search._trees, 0, 0).children[move]).visits
    position.play(move)
    search.begin([position])
    added = edges_by_point(search._trees, 0, 0).visits - before
    assert added.sum() in (0, 1)  # the first new descent is under way
    assert (added >= 0).all()


def test_another_game_in_the_slot_starts_afresh() -> None:
    variant = Variant.square(6, k=4)
    config = SearchConfig(simulations=100, reuse=True)
    search = Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(0))
    search.run([random_position(variant, 5, 1)])
    other = random_position(variant, 4, 2)
    fresh = Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(0))
    assert search.run([other]).visits.tolist() == fresh.run([other]).visits.tolist()


def test_an_error_of_the_evaluator_spoils_no_later_search() -> None:
    """Positions whose answers never came would block their tree."""
    variant = Variant.square(6, k=4)
    config = SearchConfig(simulations=300, reuse=True, solver=False)
    search = Search(variant, config, FailingEvaluator(variant), rng=np.random.default_rng(0))
    with pytest.raises(GobangError, match="no answer"):
        search.run([Position(variant)])
    assert search.run([Position(variant)]).visits.sum() == 300
    assert_consistent(search)


def sure_mean(search: Search, point: int, errors: float) -> float:
    edges = edges_by_point(search._trees, 0, 0)
    visits = int(edges.visits[point])
    mean = float(edges.totals[point]) / visits
    return mean - errors * math.sqrt((1 - mean * mean) / visits)


@pytest.mark.parametrize("players", [2, 3])
def test_of_the_well_visited_moves_the_one_most_surely_good_is_played(players: int) -> None:
    variant, others = Variant.square(5, k=4, players=players), 0
    for seed in range(30):
        config = SearchConfig(simulations=100, lcb=1.0, solver=False)
        search = Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(0))
        result = search.run([random_position(variant, seed % 7, seed)])
        visits, move = result.visits[0], int(result.moves[0])
        well_visited = np.flatnonzero(visits >= 0.15 * visits.max())
        assert move == max(well_visited.tolist(), key=lambda point: sure_mean(search, point, 1.0))
        assert search.analysis(3).moves[0].point == move
        first, second, done = search.ranking()
        assert first == visits.max()
        assert done == 100
        if visits[move] < first:
            others += 1
            assert second == first, "the most visited move does not lead, so the end cannot be foreseen"
    assert others, "in no position did the bound tell otherwise than the visits"


def test_where_every_move_is_proven_to_lose_one_of_them_is_played() -> None:
    position = position_after(Variant.square(5, k=4), "b3 a1 c3 a5 d3")
    result = searched(position, simulations=300, lcb=1.0, solver_nodes=0)
    assert result.proven[0] == 0
    assert position.legal()[result.moves[0]]


def test_an_analysis_shows_the_evaluators_own_priors() -> None:
    position = position_after(SMALL, "b2 c3")
    analyses = []
    for soft_priors in (False, True):
        config = SearchConfig(simulations=30, soft_priors=soft_priors, solver=False)
        search = Search(SMALL, config, HashedEvaluator(SMALL), rng=np.random.default_rng(0))
        search.run([position])
        analyses.append(search.analysis(16))
    np.testing.assert_allclose(analyses[0].priors, analyses[1].priors, atol=1e-6)
    assert all(move.prior == pytest.approx(analyses[0].priors[move.point], abs=1e-6) for move in analyses[1].moves)


def test_noise_changes_the_priors_of_the_root_alone() -> None:
    variant = Variant.square(6, k=4)
    config = SearchConfig(simulations=50, noise_fraction=0.25, solver=False)
    searches = [
        Search(variant, config, HashedEvaluator(variant), rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    ]
    for search in searches:
        search.run([Position(variant)])
    priors = [search._trees.prior[0, 0] for search in searches]
    assert (priors[0] == priors[1]).all()
    assert (priors[0] != priors[2]).any()
    assert priors[0].sum() == pytest.approx(1, abs=1e-5)


def test_temperature_varies_the_first_moves_only() -> None:
    variant = Variant.square(6, k=4)
    config = SearchConfig(simulations=50, temperature=1.0, temperature_plies=2, solver=False)
    search = Search(variant, config, HashedEvaluator(variant), games=40, rng=np.random.default_rng(0))
    assert len(set(search.run([Position(variant)] * 40).moves.tolist())) > 3
    later = random_position(variant, 2, 0)
    assert len(set(search.run([later] * 40).moves.tolist())) == 1


def test_one_legal_move_needs_one_simulation() -> None:
    variant = Variant(height=3, width=3, k=3)
    position = position_after(variant, "b2 a1 c1 a3 a2 c2 b3 b1")
    result = searched(position, simulations=500, solver=False)
    assert result.moves[0] == parse_point(variant, "c3")
    assert result.evaluations <= 2


def test_a_full_tree_ends_the_search() -> None:
    variant = Variant.square(8)
    search = Search(
        variant, SearchConfig(simulations=1000, solver=False), EvenEvaluator(variant),
        rng=np.random.default_rng(0), nodes=50,
    )  # fmt: skip
    result = search.run([Position(variant)])
    assert 40 <= result.visits.sum() < 60


def test_memory_per_tree_stays_below_the_stated_limit() -> None:
    nodes = 400 + 400 // 8 + 2
    assert nodes * bytes_per_node(Variant.square(8)) <= 0.28e6
    assert nodes * bytes_per_node(Variant.square(15)) <= 0.86e6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"algorithm": "uct"}, "'uct'"),
        ({"simulations": 0}, "simulations 0"),
        ({"noise_fraction": 1.5}, "noise_fraction 1.5"),
        ({"fpu": "none"}, "'none'"),
        ({"reuse": True, "algorithm": "gumbel"}, "reuse"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidConfig, match=words):
        SearchConfig(**options)  # type: ignore[arg-type]
