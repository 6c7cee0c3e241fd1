import numpy as np
import pytest

from evaluator.truth.simple import POSITIONS, likeliest, share_alike, share_found, urgent_positions
from gobang.rules.position import Position
from gobang.search.threats.tactics import FORCED, WIN
from gobang.types import UNDECIDED, Evaluations, Variant

VARIANTS = [
    Variant.square(5, k=4),
    Variant(height=6, width=7),
    Variant.square(15),
    Variant.square(5, k=3, players=3),
    *(Variant.square(15, rule=rule) for rule in ("standard", "renju")),
]


class Priors:
    """Answers each position with the priors that a function gives for its cells and side to move."""

    version = 0

    def __init__(self, priors):
        self._priors = priors

    def submit(self, positions):
        rows = [self._priors(cells, mover) for cells, mover in zip(positions.cells, positions.to_move, strict=True)]
        return Evaluations(priors=np.array(rows, np.float32), chances=np.zeros((len(rows), 3), np.float32))

    def collect(self, ticket):
        return ticket


def winning(position):
    """The points at which the side to move wins, by playing each."""
    points = set()
    for point in np.flatnonzero(position.legal()).tolist():
        mover = position.to_move
        position.play(point)
        if position.outcome == mover:
            points.add(point)
        position.undo()
    return points


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_in_each_position_one_point_alone_wins_or_prevents_the_loss(variant):
    assert len(urgent_positions(variant, WIN)) == len(urgent_positions(variant, FORCED)) == POSITIONS
    for urgent in urgent_positions(variant, WIN)[:8]:
        assert winning(Position(variant, urgent.moves)) == {urgent.point}
    for urgent in urgent_positions(variant, FORCED)[:8]:
        position = Position(variant, urgent.moves)
        assert winning(position) == set()
        holds = set()
        for point in np.flatnonzero(position.legal()).tolist():
            position.play(point)
            if position.outcome != UNDECIDED or not winning(position):
                holds.add(point)
            position.undo()
        assert holds == {urgent.point}


def test_a_network_that_knows_the_points_finds_all_and_one_that_avoids_them_none():
    variant = Variant.square(8)
    urgent = urgent_positions(variant, FORCED)
    points = {Position(variant, each.moves).cells.tobytes(): each.point for each in urgent}

    def knows(cells, mover):
        return np.arange(64) == points[cells.tobytes()]

    assert share_found(Priors(knows), variant, urgent) == 1
    assert share_found(Priors(lambda cells, mover: -1.0 * knows(cells, mover)), variant, urgent) == 0


def test_a_network_that_looks_at_the_stones_alone_sees_every_view_alike():
    variant = Variant.square(9)
    rows, columns = np.divmod(np.arange(81), 9)

    def nearest_to_black(cells, mover):
        distance = [np.hypot(rows - row, columns - column) for row, column in np.argwhere(cells.reshape(9, 9) == 1)]
        return 1 / (1 + np.sum(np.square(distance), axis=0)) + np.hypot(rows - 4, columns - 4) / 1e4

    assert share_alike(Priors(nearest_to_black), variant) > 0.8  # less where points are equally near
    assert share_alike(Priors(lambda cells, mover: np.arange(81)), variant) < 0.2


def test_the_likeliest_move_is_a_legal_one():
    position = Position(Variant.square(5, k=4), (24, 23))
    assert likeliest(Priors(lambda cells, mover: np.arange(25)), [position]).tolist() == [22]
