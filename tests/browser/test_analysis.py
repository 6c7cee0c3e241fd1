from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.board import Board

pytestmark = pytest.mark.browser


def test_analysis_follows_the_position(board: Board) -> None:
    board.new_game(boardXSize=8, boardYSize=8, k=5, moves=["d4", "e5"])
    board.page.click(".switch")
    board.page.wait_for_selector(".ranked tbody tr")
    board.page.wait_for_selector("#board .ranked.best")
    board.page.hover(".ranked tbody tr.best")
    board.page.wait_for_selector("#board .ghost")
    shown, chosen = "document.getElementById('line').textContent", "document.querySelector('tr.chosen td')?.textContent"
    board.until(f"{shown}.startsWith('Line: ' + {chosen})")
    board.page.keyboard.press("ArrowLeft")
    board.until("document.querySelector('#analysis .summary')?.textContent.startsWith('White')")
    board.page.click(".switch")
    board.page.wait_for_selector("#board .ranked", state="detached")


def test_a_game_that_no_network_knows_is_analysed_too(board: Board) -> None:
    board.new_game(boardXSize=8, boardYSize=8, k=5, rules="caro", moves=["d4", "e5"])
    assert "no network of the package knows this game" in board.text("#analysis")
    board.page.click(".switch")
    board.page.wait_for_selector(".ranked tbody tr")


def test_the_policy_is_a_heat_map(board: Board) -> None:
    board.new_game(boardXSize=8, boardYSize=8, k=5, moves=["d4"])
    board.page.check("#show-policy")
    board.page.wait_for_selector("#board .heat", state="attached")
    assert board.count("#board .share") >= 1


def test_the_solver_shows_what_it_proves(board: Board) -> None:
    board.new_game(boardXSize=8, boardYSize=8, k=5, moves=["b2", "a8", "c2", "c8", "d2", "e8"])
    board.page.click(".switch")
    board.page.wait_for_selector("#board .threat.win", state="attached")
    assert "wins by force" in board.text("#analysis")


def test_the_whole_game_becomes_a_curve(board: Board) -> None:
    board.new_game(boardXSize=8, boardYSize=8, k=5, moves=["d4", "e5", "d5", "d6"])
    board.page.click("#pass")
    board.page.wait_for_selector("#pass:has-text('Whole game')")
    board.until("document.querySelector('#curve .win-black').getAttribute('d').split('M').length === 6")
    board.page.click("#curve", position={"x": 3, "y": 20})
    assert board.text("#ply") == "0 / 4"


def test_a_file_is_replayed_and_played_on(board: Board, tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text("(;GM[4]SZ[7]PB[Ann]PW[Bob]EV[first];B[dd];W[de]C[well met])(;GM[4]SZ[9]EV[second];B[aa])")
    board.page.set_input_files("#file", str(path))
    board.page.wait_for_selector("#study-card")
    assert "Ann v Bob" in board.text("#study-list")
    board.page.keyboard.press("Home")
    assert board.count("#board .stone") == 0
    board.page.keyboard.press("End")
    assert "well met" in board.text("#study-note")
    with board.page.expect_download() as download:
        board.page.click("#save")
    assert "B[dd];W[de]" in Path(download.value.path()).read_text()
    board.page.select_option("#study-list", "1")
    assert board.get("gobang.study.boardXSize") == 9
    board.page.select_option("#study-list", "0")
    board.page.keyboard.press("End")
    board.page.click("#study-continue")
    board.until("!gobang.study && gobang.game.moves.length >= 2 && gobang.game.boardXSize === 7")


def test_a_file_that_is_none_is_refused_with_the_reason(board: Board, tmp_path: Path) -> None:
    path = tmp_path / "chess.sgf"
    path.write_text("(;GM[3])")
    board.page.set_input_files("#file", str(path))
    board.page.wait_for_selector("#toast:has-text('another game than gomoku')")
