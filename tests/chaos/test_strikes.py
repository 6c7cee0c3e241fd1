"""The cases that take seconds, once each, on one run."""

from collections.abc import Iterator

import pytest

from tests.chaos.cases import CASES
from tests.chaos.stage import Stage

QUICK = (1, 2, 3, 5, 8, 11, 12, 13, 16)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


@pytest.mark.heavy
@pytest.mark.parametrize("number", QUICK, ids=lambda number: CASES[number].name)
def test_a_run_goes_on_and_loses_nothing(stage, number):
    CASES[number].strike(stage, 1)
    found = stage.examine()
    assert found.is_clean, found
    assert found.acknowledged > 0
