import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def open_homes() -> Iterator[Path]:
    """A folder that every user may enter, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="home-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def open_home(open_homes: Path) -> Path:
    """A new home for each test."""
    home = open_homes / str(len(list(open_homes.iterdir())))
    home.mkdir(mode=0o755)
    return home
