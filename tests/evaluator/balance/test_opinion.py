import numpy as np
import pytest

from evaluator.balance.opinion import DepthJudgement, NetworkJudgement, judgement_for
from gobang.rules.position import Position, parse_point
from gobang.types import Variant

BOARD = Variant.square(8)
# Black has an open three, and so wins if it is his turn; the second position gives white the same.
BLACK_WINS = "d4 a1 e4 h1 f4 a8"
WHITE_WINS = "a1 d4 h1 e4 a8 f4 h8"


@pytest.mark.parametrize("judgement", [judgement_for(BOARD, 1), DepthJudgement(BOARD, 1)], ids=lambda each: each.name)
def test_who_is_to_move_and_wins_has_the_advantage(judgement):
    texts = (BLACK_WINS, WHITE_WINS, "d4 e5")
    positions = [Position(BOARD, [parse_point(BOARD, name) for name in text.split()]) for text in texts]
    advantage = judgement.think(positions).advantage
    assert np.all(advantage[:2] > 0.95)
    assert abs(advantage[2]) < 0.6
    assert len(judgement.glance(positions).draw) == 3


def test_a_network_judges_its_rules_and_alphabeta_all_others():
    assert isinstance(judgement_for(BOARD, 1), NetworkJudgement)
    assert judgement_for(Variant.square(15, rule="caro"), 1).name == "alphabeta:nodes=20000"
