import os

import pytest

from tests.cold_start import LEARNING, WAITED_FOR, first_seconds, memory

MOST_SECONDS = 5 * 60  # five times what docs/speed.md promises of a machine that does nothing else


@pytest.mark.heavy
def test_with_an_empty_cache_of_kernels_a_run_soon_learns(tmp_path, launch):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    launched = launch(tmp_path / "run", "--preset", "8x8", environment=environment)
    seconds = first_seconds(launched, MOST_SECONDS)
    assert LEARNING in seconds, launched.output + launched.log()
    assert list(seconds) == list(WAITED_FOR)
    assert list((tmp_path / "kernels").rglob("*.kernel"))
    found = memory(launched)
    assert {part: processes for part, (processes, _) in found.items()}["self-play actors"] == 2
    assert all(size > 0 for _, size in found.values())
