"""A page with a token: how a browser is let in."""

from __future__ import annotations

from typing import Any

import pytest

from gobang.web.door import forwarder
from tests.browser.board import Board
from tests.web.served import Served

pytestmark = pytest.mark.browser


def test_a_browser_gets_in_by_the_file_and_by_the_form_after_a_restart(browser: Any, errors: list[str]) -> None:
    first = Served("--host", "0.0.0.0")
    board = Board(browser.new_page(), first, errors)
    with forwarder(f"{first.address}?token={first.token}") as file:
        board.page.goto(file)
        board.page.wait_for_selector("#board .board")
    board.until("gobang.isConnected && gobang.game")
    assert board.get("location.href").startswith(f"{first.address}#")
    first.close()
    second = Served("--host", "0.0.0.0", port=first.port)
    try:
        board.page.wait_for_selector("text=of an earlier start")
        board.page.fill("input[name=token]", str(second.token))
        board.page.keyboard.press("Enter")
        board.page.wait_for_selector("#board .board")
        board.until("gobang.isConnected && gobang.game")
    finally:
        second.close()
        board.page.close()
    assert errors == []
