from collections.abc import Iterator
from pathlib import Path

import pytest

import gobang
from tests.small_disk import SmallDisk, mounted


@pytest.fixture(autouse=True)
def programs_import_this_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs that a test starts import the source under test, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(Path(gobang.__file__).parents[1]))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A file system of half a megabyte."""
    with mounted(tmp_path / "disk", "512k") as disk:
        yield disk
