from pathlib import Path

import pytest

import gobang


@pytest.fixture(autouse=True)
def programs_import_this_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs that a test starts import the source under test, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(Path(gobang.__file__).parents[1]))
