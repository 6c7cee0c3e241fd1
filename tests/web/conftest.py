from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.served import Served


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A page on loopback."""
    page = Served()
    yield page
    page.close()
