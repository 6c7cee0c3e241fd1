from pathlib import Path

import pytest

from tests.integration.launched import Launched


@pytest.fixture
def launch():
    """Starts runs, and leaves none behind."""
    started = []

    def start(run: Path, *arguments: str, **more) -> Launched:
        started.append(Launched(run, *arguments, **more))
        return started[-1]

    yield start
    for launched in started:
        launched.kill()
