import numpy as np
import pytest

from gobang.network.runtimes.calibration import sample_positions
from gobang.rules.board import position_key
from gobang.rules.geometry import geometry
from gobang.types import NO_MOVE, Variant

VARIANTS = [Variant.square(15), Variant(height=4, width=9), Variant.square(3, k=3), Variant.square(7, players=4)]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_positions_are_those_of_alternate_play(variant: Variant) -> None:
    positions = sample_positions(variant, 100)
    for row in range(100):
        stones = np.bincount(positions.cells[row], minlength=variant.players + 1)[1:]
        plies = int(stones.sum())
        assert stones.tolist() == [(plies - player - 1) // variant.players + 1 for player in range(variant.players)]
        assert positions.to_move[row] == plies % variant.players
        for index, last in enumerate(positions.last_moves[row]):
            assert (last == NO_MOVE) == (plies <= index)
            assert last == NO_MOVE or positions.cells[row, last] == (plies - 1 - index) % variant.players + 1
        assert positions.key[row] == position_key(geometry(variant), positions.cells[row], positions.to_move[row])


def test_the_seed_decides_and_games_differ() -> None:
    first, other = (sample_positions(Variant.square(9), 100, seed=seed).cells for seed in (1, 2))
    assert (first != other).any()
    assert len(np.unique(first, axis=0)) > 80
    assert len(np.unique((first != 0).sum(axis=1))) > 20
