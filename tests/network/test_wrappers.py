import numpy as np
import pytest

from gobang.network.calibration import sample_positions
from gobang.network.evaluator import SynchronousEvaluator
from gobang.network.wrappers import SplitEvaluator, SymmetricEvaluator
from gobang.rules.board import position_key
from gobang.rules.geometry import geometry
from gobang.rules.symmetry import symmetries
from gobang.types import NO_MOVE, Evaluations, Positions, Variant

VARIANTS = [Variant.square(7), Variant(height=5, width=8, k=4), Variant.square(6, k=4, players=3)]


class Echo(SynchronousEvaluator):
    """Answers with what it was shown: priors are the stones, with the last move marked."""

    def __init__(self) -> None:
        self.seen: list[Positions] = []

    def evaluate(self, positions: Positions) -> Evaluations:
        self.seen.append(positions)
        priors = positions.cells.astype(np.float32)
        rows = np.flatnonzero(positions.last_move != NO_MOVE)
        priors[rows, positions.last_move[rows]] += 10
        outcome = np.repeat(positions.to_move[:, None], positions.variant.players + 1, axis=1)
        return Evaluations(priors=priors, outcome=outcome.astype(np.float32))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_symmetries_are_undone_in_the_answer(variant: Variant) -> None:
    positions = sample_positions(variant, 200)
    echo = Echo()
    evaluator = SymmetricEvaluator(echo, seed=3)
    answer = evaluator.collect(evaluator.submit(positions))
    expected = Echo().evaluate(positions)
    np.testing.assert_array_equal(answer.priors, expected.priors)
    np.testing.assert_array_equal(answer.outcome, expected.outcome)
    changed = (echo.seen[0].cells != positions.cells).any(axis=1).mean()
    assert changed > 0.5


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_images_have_their_own_key(variant: Variant) -> None:
    echo = Echo()
    evaluator = SymmetricEvaluator(echo, seed=3)
    evaluator.submit(sample_positions(variant, 50))
    (shown,) = echo.seen
    keys = [
        position_key(geometry(variant), row, int(player))
        for row, player in zip(shown.cells, shown.to_move, strict=True)
    ]
    assert shown.key.tolist() == keys


def test_every_symmetry_is_drawn_and_the_seed_decides() -> None:
    variant = VARIANTS[0]
    positions = sample_positions(variant, 200)
    shown = []
    for seed in (3, 3, 4):
        echo = Echo()
        SymmetricEvaluator(echo, seed=seed).submit(positions)
        shown.append(echo.seen[0].cells)
    np.testing.assert_array_equal(shown[0], shown[1])
    assert (shown[0] != shown[2]).any()
    corner = int(np.flatnonzero(positions.cells[:, 1])[0])
    once = SymmetricEvaluator(echo, seed=5)
    repeated = Positions(
        variant=variant,
        cells=np.repeat(positions.cells[corner : corner + 1], 100, axis=0),
        to_move=np.zeros(100, np.int8),
        last_move=np.full(100, NO_MOVE, np.int16),
        key=np.zeros(100, np.uint64),
    )
    once.submit(repeated)
    images = {row.tobytes() for row in echo.seen[-1].cells}
    assert len(images) == len(symmetries(7, 7)) == 8


@pytest.mark.parametrize(("size", "parts"), [(1, [1]), (10, [10]), (11, [10, 1]), (30, [10, 10, 10])])
def test_batches_are_split_and_joined(size: int, parts: list[int]) -> None:
    positions = sample_positions(VARIANTS[0], size)
    echo = Echo()
    evaluator = SplitEvaluator(echo, max_batch=10)
    answer = evaluator.collect(evaluator.submit(positions))
    assert [len(part) for part in echo.seen] == parts
    np.testing.assert_array_equal(answer.priors, Echo().evaluate(positions).priors)
    np.testing.assert_array_equal(np.concatenate([part.key for part in echo.seen]), positions.key)
