from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from evaluator.report.board import board_html, board_script, board_style
from gobang.types import Variant
from tests.browser.board import Board

pytestmark = pytest.mark.browser


def test_boards_of_a_report_are_drawn_by_the_page_s_script(browser: Any, board: Board, tmp_path: Path) -> None:
    variant, path = Variant.square(6, k=4), tmp_path / "report.html"
    place = board_html(variant, [0, 7], title="6 by 6, 2 moves: a1 b2")
    path.write_text(f"<!DOCTYPE html><style>{board_style()}</style><body>{place}{board_script()}</body>")
    page = browser.new_page()
    page.goto(path.as_uri())
    drawn = page.locator(".boardplace svg").evaluate("element => element.outerHTML")
    page.close()
    board.click("a1", "b2")
    board.page.mouse.move(1, 1)
    board.page.check("#show-numbers")
    assert board.page.locator("#board svg").evaluate("element => element.outerHTML") == drawn


def test_a_link_of_a_report_opens_its_game(board: Board) -> None:
    board.show(f"#sgf={quote('(;GM[4]SZ[7]PB[v3]PW[v2];B[dd];W[de])')}")
    board.until("gobang.study && gobang.study.names[0] === 'v3'")
    assert board.count("#study-card:visible") == 1
