import json

import numpy as np
import pytest

from evaluator.judging.gate import CONTINUE, PROMOTE, REJECT, ContestGame, Gate, GateConfig
from evaluator.statistics.sign_test import evidence
from evaluator.statistics.tally import Tally
from gobang.errors import InvalidConfig, InvalidGame
from gobang.types import GameRecord, Variant

BOARD = Variant.square(5, 4)
CANDIDATE, OPPONENT = "v2", "v1"
OUTCOMES = {0.0: 1, 0.5: 2, 1.0: 0}  # of a black candidate's game by its points


def game(number, points, moves=None):
    """A game of which the candidate, black in the even ones, makes so many points; without moves unlike all others."""
    black, white = (CANDIDATE, OPPONENT) if number % 2 == 0 else (OPPONENT, CANDIDATE)
    outcome = OUTCOMES[points if number % 2 == 0 else 1 - points]
    record = GameRecord(variant=BOARD, moves=moves or (number,), outcome=outcome)
    return ContestGame(match=0, number=number, names=(black, white), record=record)


def games(points):
    return [game(number, each) for number, each in enumerate(points)]


def played(config, points):
    gate = Gate(config, CANDIDATE)
    for each in games(points):
        gate.add(each)
    return gate


def test_a_win_among_draws_promotes_nobody():
    for wins, losses in ((1, 0), (6, 4), (4, 0)):
        decided = [1.0, 0.5] * wins + [0.5, 0.0] * losses
        points = [0.5] * (400 - len(decided)) + decided
        assert played(GateConfig(), points).verdict == REJECT


@pytest.mark.parametrize(("wins", "draws", "verdict"), [(220, 0, PROMOTE), (219, 2, PROMOTE), (219, 1, REJECT)])
def test_a_fixed_gate_needs_55_percent_to_the_half_point(wins, draws, verdict):
    points = np.random.default_rng(1).permutation([1.0] * wins + [0.5] * draws + [0.0] * (400 - wins - draws))
    gate = played(GateConfig(rule="fixed"), points[:399])
    assert gate.verdict == CONTINUE
    gate.add(game(399, points[399]))
    assert (gate.verdict, gate.standing().games) == (verdict, 400)


def test_a_sequential_gate_promotes_nobody_below_55_percent():
    split, won = [1.0, 0.0], [1.0, 1.0]
    points = (split * 11 + won) * 16  # 54.2 %, in pairs that clearly say: more than a half
    gate = played(GateConfig(), points)
    assert gate.standing().log_likelihood_ratio > 5.3
    assert gate.verdict == CONTINUE
    assert played(GateConfig(), (points + split * 200)[:400]).verdict == REJECT


def test_a_candidate_that_wins_every_decided_game_is_promoted_at_the_fifteenth():
    points = [0.5, 0.5, 1.0, 0.5] * 20
    standing = played(GateConfig(), points).standing()
    assert (standing.verdict, standing.total) == (PROMOTE, Tally(wins=12, draws=36, losses=0))


def test_draws_do_not_keep_a_better_candidate_out():
    better = ([0.5, 0.5] * 17 + [1.0, 0.5] * 2 + [0.5, 1.0]) * 10
    worse = [1 - each for each in better]
    standing = played(GateConfig(), better).standing()
    assert (standing.verdict, standing.total.losses) == (PROMOTE, 0)
    assert standing.total.score < 0.55
    assert played(GateConfig(), worse).verdict == REJECT


@pytest.mark.parametrize(("wins", "losses", "verdict"), [(17, 7, PROMOTE), (16, 7, REJECT), (0, 0, REJECT)])
def test_at_the_cap_the_exact_test_decides(wins, losses, verdict):
    decided = [1.0, 0.5] * wins + [0.5, 0.0] * losses
    points = np.random.default_rng(6).permutation(np.reshape(decided + [0.5] * (400 - len(decided)), (-1, 2))).ravel()
    standing = played(GateConfig(), points).standing()
    assert (standing.verdict, standing.games) == (verdict, 400)


def test_colour_alone_promotes_nobody():
    split = [[1.0, 0.0], [0.0, 1.0]]
    points = np.random.default_rng(8).choice([0, 1], 200, p=[0.9, 0.1])
    assert played(GateConfig(), np.array(split)[points].ravel().tolist()).standing().verdict == REJECT


def test_games_are_told_apart_by_colour():
    standing = played(GateConfig(rule="fixed", games=6), [1, 0, 1, 0.5, 0.5, 0]).standing()
    assert standing.by_colour == (Tally(wins=2, draws=1, losses=0), Tally(wins=0, draws=1, losses=2))
    assert standing.total == Tally(wins=2, draws=2, losses=2)


def test_the_verdict_does_not_depend_on_which_game_ends_first():
    points = (np.random.default_rng(2).random(400) < 0.57).astype(float)
    in_order = played(GateConfig(), points)
    shuffled = Gate(GateConfig(), CANDIDATE)
    for number in np.random.default_rng(3).permutation(400).tolist():
        shuffled.add(game(number, points[number]))
    assert shuffled.standing() == in_order.standing()
    assert in_order.verdict != CONTINUE


def test_a_gate_resumed_after_any_game_ends_alike():
    every = games((np.random.default_rng(4).random(120) < 0.5).astype(float))
    config = GateConfig(games=120)
    whole = Gate(config, CANDIDATE)
    for each in every:
        whole.add(each)
    for cut in range(0, 120, 7):
        resumed = Gate(config, CANDIDATE)
        for each in every[:cut]:
            resumed.add(each)
        while numbers := resumed.wanted(pairs=16):
            for number in numbers:
                resumed.add(every[number])
        assert resumed.standing() == whole.standing()


def test_wanted_are_the_games_missing_from_the_next_block_of_pairs():
    gate = Gate(GateConfig(games=12), CANDIDATE)
    for number in (0, 1, 3, 6, 7):
        gate.add(game(number, 0.5))
    assert gate.wanted(pairs=2) == [2]
    assert gate.wanted(pairs=9) == [2, 4, 5, 8, 9, 10, 11]
    gate.add(game(2, 0.5))
    assert gate.wanted(pairs=2) == [4, 5]
    assert played(GateConfig(rule="fixed", games=2), [1, 1]).wanted(pairs=9) == []


def test_a_number_counts_once_as_it_came_first():
    gate = Gate(GateConfig(games=12), CANDIDATE)
    for number, points in ((0, 1.0), (0, 0.0), (1, 0.5), (1, 1.0), (0, 0.0)):
        gate.add(game(number, points))
    assert gate.standing().games == 2
    assert gate.standing().total == Tally(wins=1, draws=1, losses=0)


def test_identical_games_count_once_and_the_match_ends_nevertheless():
    gate = Gate(GateConfig(games=20), CANDIDATE)
    for number in range(20):
        gate.add(game(number, 1.0, moves=(7, 8, number % 2)))
    standing = gate.standing()
    assert (standing.verdict, standing.games, standing.total.games) == (REJECT, 20, 2)
    assert standing.log_likelihood_ratio == pytest.approx(evidence([0, 0, 0, 0, 1]))  # of one pair


@pytest.mark.parametrize("duplicate", [0, 1])
def test_a_pair_with_one_duplicate_counts_one_game_and_no_margin(duplicate):
    gate = Gate(GateConfig(games=20), CANDIDATE)
    for number in range(4):
        is_duplicate = number == 2 + duplicate
        points = 1.0 if is_duplicate or number < 2 else 0.0
        gate.add(game(number, points, moves=(7, 8, number - 2 if is_duplicate else number)))
    standing = gate.standing()
    assert (standing.verdict, standing.games) == (CONTINUE, 4)
    assert standing.total == Tally(wins=2, draws=0, losses=1)
    assert [tally.games for tally in standing.by_colour] == ([1, 2] if duplicate == 0 else [2, 1])
    assert standing.log_likelihood_ratio == pytest.approx(evidence([0, 0, 0, 0, 1]))  # of the first pair alone


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 7}, "games 7"),
        ({"percent": 0}, "percent 0"),
        ({"rule": "best of 3"}, "best of 3"),
        ({"openings": "short"}, "openings 'short'"),
    ],
)
def test_a_gate_that_cannot_be_is_refused(wrong, message):
    with pytest.raises(InvalidConfig, match=message):
        GateConfig(**wrong)


WON = ContestGame(
    match=1, number=2, names=("v1", "v2"),
    record=GameRecord(variant=BOARD, moves=(12, 7, 11), outcome=1, opening=2),
)  # fmt: skip


def test_a_game_is_the_same_after_its_line():
    assert ContestGame.from_line(json.loads(json.dumps(WON.as_line())), BOARD) == WON


@pytest.mark.parametrize(
    "wrong", [{"outcome": 3}, {"number": -1}, {"moves": "x"}, {"black": 1}, {"match": "1"}, {"moves": 3}]
)
def test_a_line_that_is_no_game_is_refused(wrong):
    with pytest.raises(InvalidGame, match="evaluation game"):
        ContestGame.from_line({**WON.as_line(), **wrong}, BOARD)


def test_points_are_those_of_the_player_asked_about():
    assert (WON.points_of("v1"), WON.points_of("v2")) == (0, 1)
    drawn = ContestGame.from_line({**WON.as_line(), "outcome": BOARD.draw}, BOARD)
    assert (drawn.points_of("v1"), drawn.points_of("v2")) == (0.5, 0.5)
