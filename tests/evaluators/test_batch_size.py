import time

from gobang.evaluators.batch_size import best_size, rates
from gobang.evaluators.null import NullEvaluator
from gobang.types import Positions, Variant

VARIANT = Variant.square(5, k=4)


class PerCall(NullEvaluator):
    """Takes as long for many positions as for one, as a GPU does."""

    def submit(self, positions: Positions) -> int:
        until = time.perf_counter() + 0.005
        while time.perf_counter() < until:
            pass
        return super().submit(positions)


def test_speed_is_in_positions_by_the_size_of_batches() -> None:
    measured = rates(PerCall(VARIANT), VARIANT, sizes=(1, 64), seconds=0.02)
    assert 0 < measured[1] < measured[64] <= 64 / 0.005


def test_of_sizes_that_are_about_as_fast_the_smallest_is_the_best() -> None:
    assert best_size({16: 900.0, 64: 1900.0, 256: 2000.0, 1024: 1990.0}) == 64
    assert best_size({16: 900.0, 64: 1800.0, 256: 2000.0}) == 256
