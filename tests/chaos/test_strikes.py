"""The cases that take seconds, once, on one run."""

import pytest

from tests.chaos.cases import CASES
from tests.chaos.stage import Stage


@pytest.mark.heavy
def test_a_run_goes_on_without_an_actor_and_without_redis():
    stage = Stage()
    try:
        for case in (CASES[1], CASES[5]):
            case.strike(stage, 1)
        found = stage.examine()
    finally:
        stage.close()
    assert found.is_clean, found
    assert found.acknowledged > 0
