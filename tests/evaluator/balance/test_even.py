import numpy as np
import pytest

from evaluator.balance.even import MOST_ADVANTAGE, even_openings
from evaluator.balance.opinion import DepthJudgement, Opinions
from gobang.errors import InvalidConfig
from gobang.rules.position import Position, symmetry_class
from gobang.types import Variant

BOARD = Variant.square(9)


class LastColumn:
    """Takes the column of the last stone for the advantage, a tenth each from the middle, and its row for the draw."""

    name = "by column"

    def __init__(self):
        self.searched = []

    def glance(self, positions):
        points = np.array([position.last_move for position in positions])
        return Opinions(advantage=(points % 9 - 4) / 10, draw=points // 9 / 10)

    def think(self, positions):
        self.searched += positions
        return self.glance(positions)


def test_openings_are_even_unlike_each_other_and_the_most_decisive_come_first():
    judgement = LastColumn()
    openings = even_openings(BOARD, judgement, 20, seed=1)
    last = np.array([opening[-1] for opening in openings])
    assert np.all(np.abs(last % 9 - 4) / 10 <= MOST_ADVANTAGE)
    assert {len(opening) for opening in openings} <= {2, 3, 4, 5, 6}
    assert len({symmetry_class(Position(BOARD, opening)) for opening in openings}) == 20
    assert (last // 9).tolist() == sorted(last // 9)
    assert max(last // 9) <= 2
    assert all(abs(position.last_move % 9 - 4) <= 2 for position in judgement.searched)


def test_the_seed_decides():
    one, again, other = (even_openings(BOARD, LastColumn(), 5, seed) for seed in (1, 1, 2))
    assert one == again != other


def test_it_says_when_there_are_not_so_many():
    with pytest.raises(InvalidConfig, match="even openings found, not 150"):
        even_openings(Variant.square(3, k=3), DepthJudgement(Variant.square(3, k=3), seed=1), 150, seed=1)
