"""A real Chromium, without a window.  Where there is none the tests fail and say what to install."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.board import Board
from tests.web.served import Served

NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = "no Chromium: install one (Debian: apt install chromium), or name its program in CHROMIUM"
NO_PLAYWRIGHT = "no Playwright: pip install -c constraints.txt -e '.[browser]'"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        pytest.fail(NO_PLAYWRIGHT)
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.fail(NO_BROWSER)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    page = Served()
    yield page
    page.close()


@pytest.fixture
def errors() -> list[str]:
    """What went wrong in the page's scripts."""
    return []


@pytest.fixture
def board(browser: Any, served: Served, errors: list[str]) -> Iterator[Board]:
    """The page on a screen of usual size, with a game of two people on 6x6, four in a row."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    board = Board(context.new_page(), served, errors)
    board.new_game()
    yield board
    context.close()
    assert errors == []
