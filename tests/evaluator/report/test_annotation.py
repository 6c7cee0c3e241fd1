import numpy as np
import pytest

from evaluator.judging.gate import ContestGame
from evaluator.report.annotation import Analyst, TimeIsUp
from evaluator.report.game_page import describe
from gobang.evaluators.uniform import UniformEvaluator
from gobang.rules.position import parse_point
from gobang.types import GameRecord
from tests.evaluator.report.written import BLUNDER, BOARD


def game(moves, opening=2):
    record = GameRecord(variant=BOARD, moves=tuple(moves), outcome=0, opening=opening)
    return ContestGame(match=0, number=0, names=("v2", "v1"), record=record)


def analyst(simulations=64, **options):
    return Analyst(BOARD, UniformEvaluator(BOARD, 1), simulations, **options)


def test_a_planted_blunder_is_found_and_explained():
    annotated = analyst().annotate(game(BLUNDER))
    move = annotated.key_moves[-1]
    assert (move.ply, move.played, move.before.preferred) == (7, 55, 30)
    assert move.after.chances.tolist() == [1, 0, 0]
    words = describe(move, BOARD)
    assert words.startswith("White played h7 (visits 0 %), win 0.")
    assert "preferred g4 (100 %)" in words
    assert len(annotated.views) == len(BLUNDER) + 1 - 2


def test_what_is_proven_stays_so_while_the_winner_follows_the_proof():
    names = "h3 g1 e6 e5 f5 g4 f6 f4 d6 c6 d5 c4 g6 h6 d3 b1 e4 f7 c2"
    annotated = analyst(simulations=16).annotate(game([parse_point(BOARD, name) for name in names.split()], opening=16))
    assert np.array([view.chances[0] for view in annotated.views]).min() == 1
    assert annotated.key_moves == ()


def test_it_stops_when_the_time_is_up():
    with pytest.raises(TimeIsUp):
        analyst(on_positions=lambda count: False).annotate(game(BLUNDER))
