from dataclasses import replace

import numpy as np
import pytest

from actors.self_play.recording import NO_SEARCH, TailConfig
from actors.self_play.self_play import SelfPlay, SelfPlayConfig
from gobang.errors import EvaluatorUnavailable, InvalidConfig
from gobang.evaluators.null import NullEvaluator
from gobang.rules.position import Position
from gobang.search.trees.config import SearchConfig
from gobang.types import NO_MOVE, UNDECIDED, SelfPlayGame, Variant
from tests.actors.conftest import VARIANT, Pool

SEARCH = SearchConfig(simulations=12, noise_fraction=0.25, temperature=1.0, temperature_plies=8)
CONFIG = SelfPlayConfig(search=SEARCH, games=6, opening_plies=3, cache_entries=1 << 10, most_buffered=5)
VARIANTS = [VARIANT, Variant.square(5, k=4, players=3), Variant.square(9, rule="renju"), Variant.square(3, k=3)]


def make(pool: Pool, config: SelfPlayConfig = CONFIG, variant: Variant = VARIANT, seed: int = 1, evaluator=None):
    return SelfPlay(variant, config, evaluator or NullEvaluator(variant, version=4), pool, name="a-0f", seed=seed)


def play(self_play: SelfPlay, pool: Pool, games: int) -> None:
    while len(pool.games) < games:
        self_play.step()


def check(game: SelfPlayGame) -> None:
    """Replay a game, and compare what was recorded with the rules."""
    position = Position(game.variant)
    for ply, move in enumerate(game.moves):
        assert position.outcome == UNDECIDED
        entries = slice(game.policy_start[ply], game.policy_start[ply + 1])
        points, shares = game.policy_point[entries], game.policy_share[entries]
        if game.version[ply] == NO_SEARCH:
            assert len(points) == 0
            assert not game.searched[ply].any()
        else:
            assert position.legal()[points].all()
            assert len(points) == 0 or shares.sum() == pytest.approx(1, abs=1e-5)
            assert game.searched[ply].sum() == pytest.approx(1, abs=1e-4)
        position.play(int(move))
    assert position.outcome == game.outcome != UNDECIDED
    assert game.policy_start[-1] == len(game.policy_point) == len(game.policy_share)
    assert np.isfinite(game.surprise).all()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("algorithm", ["puct", "gumbel"])
def test_games_are_legal_complete_and_recorded(variant, algorithm):
    pool = Pool()
    search = replace(SEARCH, algorithm=algorithm, noise_fraction=0.0 if algorithm == "gumbel" else 0.25)
    play(make(pool, replace(CONFIG, search=search), variant), pool, 15)
    for game in pool.games:
        check(game)
        assert set(game.version.tolist()) <= {NO_SEARCH, 4}
    openings = [int((game.version == NO_SEARCH).sum()) for game in pool.games]
    assert min(openings) == 0
    assert max(openings) == 3
    assert len({game.moves.tobytes() for game in pool.games}) > 10


def test_ids_count_the_games_of_one_name():
    pool = Pool()
    play(make(pool), pool, 12)
    assert [game.id for game in pool.games] == [f"a-0f/{number:06d}" for number in range(len(pool.games))]


def test_a_game_that_no_pool_takes_is_dropped_and_counted(caplog):
    pool = Pool()
    pool.refused = "a-0f/000002"
    self_play = make(pool)
    play(self_play, pool, 6)
    assert [game.id[-1] for game in pool.games[:6]] == ["0", "1", "3", "4", "5", "6"]
    assert self_play.report().discarded == 1
    assert caplog.text.count("game a-0f/000002 is dropped: no game") == 1


def test_the_same_seed_plays_the_same_games():
    pools = [Pool() for _ in range(3)]
    for pool, seed in zip(pools, (1, 1, 2), strict=True):
        play(make(pool, seed=seed), pool, 8)
    moves = [[game.moves.tobytes() for game in pool.games[:8]] for pool in pools]
    assert moves[0] == moves[1] != moves[2]


def test_reports_count_what_was_done():
    pool = Pool()
    self_play = make(pool)
    play(self_play, pool, 10)
    report = self_play.report()
    assert (report.games, report.buffered) == (len(pool.games), 0)
    searched = sum(int((game.version != NO_SEARCH).sum()) for game in pool.games)
    assert 0 < report.evaluations <= report.simulations + searched + 6 * VARIANT.points
    assert 0 < report.cache_hits < report.evaluations
    assert (report.version, report.simulations_per_move) == (4, 12)


def test_games_wait_while_the_pool_is_away_and_arrive_in_order(caplog):
    pool = Pool()
    self_play = make(pool)
    pool.is_away = True
    while not self_play.step().is_waiting:
        pass
    report = self_play.step()
    assert report.is_cut_off
    assert pool.games == []
    assert report.buffered >= CONFIG.most_buffered
    simulations = report.simulations
    assert self_play.step().simulations == simulations
    pool.is_away = False
    assert not self_play.step().is_cut_off
    assert [game.id for game in pool.games] == [f"a-0f/{number:06d}" for number in range(len(pool.games))]
    assert len(pool.games) >= report.buffered
    assert caplog.text.count("wait for the pool") == 1


def test_a_learner_that_is_behind_is_waited_for():
    pool = Pool()
    self_play = make(pool)
    self_play.step()
    pool.is_full = True
    before = self_play.report().simulations
    assert self_play.step().is_waiting
    assert self_play.report().simulations == before
    pool.is_full = False
    assert not self_play.step().is_waiting


def test_draining_drops_games_in_progress_whole():
    pool = Pool()
    self_play = make(pool)
    play(self_play, pool, 3)
    assert self_play.drain() == 0
    sent = len(pool.games)
    self_play.step()
    for game in pool.games[sent:]:
        check(game)
    pool.is_away = True
    while self_play.report().buffered == 0:
        self_play.step()
    assert self_play.drain() == self_play.report().buffered > 0


def test_simulations_can_change_between_moves():
    pool = Pool()
    self_play = make(pool)
    rates = []
    for simulations in (4, 40):
        self_play.set_simulations(simulations)
        self_play.step()
        before = self_play.report()
        for _ in range(4):
            self_play.step()
        after = self_play.report()
        rates.append((after.simulations - before.simulations) / (after.moves - before.moves))
        assert after.simulations_per_move == simulations
        assert after.evaluations >= before.evaluations
    assert rates[0] <= 4.5
    assert rates[1] > 10
    with pytest.raises(InvalidConfig, match="simulations 0"):
        self_play.set_simulations(0)


class Unreliable(NullEvaluator):
    """Fails now and then where a socket would, and must be asked the same again."""

    failing = 0

    def collect(self, ticket):
        self.failing += 1
        if self.failing % 7 == 0:
            raise EvaluatorUnavailable("away")
        return super().collect(ticket)


def test_an_evaluator_that_was_away_costs_no_game():
    pool = Pool()
    self_play = make(pool, evaluator=Unreliable(VARIANT, version=1))
    failures = 0
    while len(pool.games) < 10:
        try:
            self_play.step()
        except EvaluatorUnavailable:
            failures += 1
    assert failures > 10
    for game in pool.games:
        check(game)
    undisturbed = Pool()
    play(make(undisturbed, evaluator=NullEvaluator(VARIANT, version=1)), undisturbed, 10)
    assert [game.moves.tobytes() for game in pool.games[:10]] == [
        game.moves.tobytes() for game in undisturbed.games[:10]
    ]


@pytest.mark.parametrize("option", ["games", "opening_plies", "most_advantage", "cache_entries", "most_buffered"])
def test_settings_out_of_range_are_refused(option):
    with pytest.raises(InvalidConfig, match=f"{option} {NO_MOVE}"):
        replace(CONFIG, **{option: NO_MOVE})


def test_on_request_the_first_stones_lie_near_each_other():
    variant, pool = Variant.square(15), Pool()
    play(make(pool, replace(CONFIG, opening_plies=6, opening_near=True), variant), pool, 12)
    stones = 0
    for game in pool.games:
        cells = np.stack(np.divmod(game.moves[game.version == NO_SEARCH], 15), axis=1)
        stones += len(cells)
        assert all(np.abs(cells[:ply] - cells[ply]).max(axis=1).min() <= 2 for ply in range(1, len(cells)))
        assert not len(cells) or np.abs(cells[0] - 7).max() <= 4
    assert stones > 20


class Biased(NullEvaluator):
    """Takes black for the winner if there is a stone on the middle of the board."""

    def submit(self, positions):
        taken = positions.cells[:, positions.variant.points // 2] > 0
        return taken, positions.to_move.copy(), super().submit(positions)

    def collect(self, ticket):
        taken, to_move, inner = ticket
        evaluations = super().collect(inner)
        evaluations.chances[taken & (to_move == 0)] = (0.9, 0.05, 0.05)
        evaluations.chances[taken & (to_move == 1)] = (0.05, 0.9, 0.05)
        return evaluations


def test_few_games_go_on_that_are_lopsided_from_the_start():
    def share_taken(most_advantage: float) -> float:
        pool, variant = Pool(), Variant.square(3, k=3)
        config = replace(CONFIG, games=2, opening_plies=2, search=replace(SEARCH, simulations=1), cache_entries=0)
        play(make(pool, replace(config, most_advantage=most_advantage), variant, evaluator=Biased(variant)), pool, 300)
        for game in pool.games:
            check(game)
        return np.mean([4 in game.moves[game.version == NO_SEARCH] for game in pool.games])

    assert share_taken(0.5) < 0.4 * share_taken(1.0)


class Drawish(NullEvaluator):
    """Expects a draw from the first stone on."""

    def collect(self, ticket):
        evaluations = super().collect(ticket)
        evaluations.chances[:] = (0.01, 0.01, 0.98)
        return evaluations


@pytest.mark.parametrize(("full_share", "least", "most"), [(1.0, 1.0, 1.0), (0.0, 0.0, 0.9), (0.5, 0.1, 0.9)])
def test_what_is_as_good_as_drawn_is_played_to_its_end_without_learning(full_share, least, most):
    pool = Pool()
    tail = TailConfig(draw=0.9, moves=2, simulations=2, full_share=full_share)
    self_play = make(
        pool,
        replace(CONFIG, opening_plies=0, tail=tail),
        Variant.square(4, k=4),
        evaluator=Drawish(Variant.square(4, k=4)),
    )
    play(self_play, pool, 40)
    for game in pool.games:
        check(game)
        learned = np.diff(game.policy_start) > 0
        drawn = game.searched[:, -1] >= 0.9
        is_tail = np.append([False, False], drawn[:-2] & drawn[1:-1])
        assert learned.all() or (learned == ~is_tail).all()
    whole = np.mean([(np.diff(game.policy_start) > 0).all() for game in pool.games])
    assert least <= whole <= most
    report = self_play.report()
    assert (report.simulations / report.moves < 8) == (full_share < 1)


@pytest.mark.parametrize("options", [{"draw": 0.0}, {"moves": 0}, {"simulations": 0}, {"full_share": 1.5}])
def test_impossible_tails_are_refused(options):
    with pytest.raises(InvalidConfig, match=next(iter(options))):
        TailConfig(**options)
