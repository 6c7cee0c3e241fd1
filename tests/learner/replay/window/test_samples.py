from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gobang.rules.symmetry import symmetries
from gobang.types import NO_MOVE, Variant
from learner.replay.window.samples import (
    END,
    MIDDLE,
    OPENING,
    Samples,
    game_stage,
    under_symmetry,
    with_random_symmetry,
)
from learner.training.bench import random_samples

# Where the eight symmetries take (row, column) of a square whose last row is n, in no order that matters.
MAPS: tuple[Callable[[int, int, int], tuple[int, int]], ...] = (
    lambda row, column, n: (row, column),
    lambda row, column, n: (n - row, column),
    lambda row, column, n: (row, n - column),
    lambda row, column, n: (n - row, n - column),
    lambda row, column, n: (column, row),
    lambda row, column, n: (n - column, row),
    lambda row, column, n: (column, n - row),
    lambda row, column, n: (n - column, n - row),
)


def slow_image(samples: Samples, row: int, go: Callable[[int, int, int], tuple[int, int]]) -> tuple[object, ...]:
    """Stones, policy, last move and reply of one sample by coordinates, as comparable values."""
    side = samples.boards.variant.height

    def move(point: int) -> int:
        image = go(point // side, point % side, side - 1)
        return NO_MOVE if point == NO_MOVE else image[0] * side + image[1]

    stones = {move(p): int(s) for p, s in enumerate(samples.boards.cells[row]) if s}
    policy = {move(p): float(share) for p, share in enumerate(samples.policy[row])}
    return stones, policy, [move(int(p)) for p in samples.boards.last_moves[row]], move(int(samples.reply[row]))


def test_all_parts_move_together_as_by_coordinates(samples: Samples) -> None:
    seen = set()
    for which in range(8):
        image = under_symmetry(samples, np.full(len(samples), which, np.int16))
        got = [slow_image(image, row, MAPS[0]) for row in range(len(samples))]
        same = [i for i, go in enumerate(MAPS) if got == [slow_image(samples, r, go) for r in range(len(samples))]]
        assert len(same) == 1
        seen.add(same[0])
    assert seen == set(range(8))


def test_the_policy_stays_on_empty_points(samples: Samples) -> None:
    image = with_random_symmetry(samples, np.random.default_rng(2))
    assert (image.policy[image.boards.cells != 0] == 0).all()


def test_each_sample_draws_its_own_symmetry_and_the_batch_stays(samples: Samples) -> None:
    before = samples.policy.copy()
    first = with_random_symmetry(samples, np.random.default_rng(3))
    again = with_random_symmetry(samples, np.random.default_rng(3))
    table = symmetries(5, 5)
    which = {t for t in range(8) for r in range(16) if (first.policy[r, table[t]] == samples.policy[r]).all()}
    assert len(which) > 4
    assert (first.policy == again.policy).all()
    assert (samples.policy == before).all()
    assert first.search_chances is samples.search_chances


def test_a_rectangle_and_three_players() -> None:
    variant = Variant(height=4, width=6, k=3, players=3)
    batch = random_samples(variant, 32, np.random.default_rng(4))
    image = with_random_symmetry(batch, np.random.default_rng(5))
    for row in range(32):
        assert sorted(image.boards.cells[row]) == sorted(batch.boards.cells[row])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("policy", np.zeros((16, 24), np.float32)),
        ("policy", np.zeros((16, 25))),
        ("search_chances", np.zeros((16, 2), np.float32)),
        ("reply", np.zeros(15, np.int16)),
        ("stage", np.zeros(16, np.int64)),
    ],
)
def test_wrong_shapes_and_types_are_named(samples: Samples, field: str, value: np.ndarray) -> None:
    with pytest.raises(AssertionError, match=field):
        replace(samples, **{field: value})


def test_boards_are_checked_too(samples: Samples) -> None:
    short = replace(samples.boards, cells=samples.boards.cells[:, :24])
    with pytest.raises(AssertionError, match="cells has shape"):
        replace(samples, boards=short)


def test_stages_are_thirds_of_the_game() -> None:
    stages = game_stage(np.arange(9), np.full(9, 9))
    assert stages.tolist() == [OPENING] * 3 + [MIDDLE] * 3 + [END] * 3
    assert game_stage(np.array([5, 0]), np.array([5, 0])).tolist() == [END, OPENING]
    assert stages.dtype == np.int16
