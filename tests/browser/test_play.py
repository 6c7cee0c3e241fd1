from __future__ import annotations

from typing import Any

import pytest

from tests.browser.board import Board
from tests.web.served import Served

pytestmark = pytest.mark.browser


def test_a_whole_game_by_clicks(board: Board) -> None:
    board.page.click("#new")
    board.page.click("#presets button[data-side='5']")
    board.page.select_option("#seats select[aria-label='White']", "other")
    board.page.fill("#seats input[aria-label='Text of the player']:visible", "random")
    board.page.click("#start")
    board.until("gobang.game.seats[1] === 'random'")
    while not board.get("gobang.game.outcome"):
        free = [f"{column}{row}" for row in range(1, 6) for column in "abcde" if f"{column}{row}" not in board.moves]
        board.click(free[0])
        board.until("gobang.game.outcome || gobang.game.toMove === 0")
    board.until("/wins|win!|draw/.test(document.getElementById('status').textContent)")
    assert board.count("#board .stone") == len(board.moves)
    assert board.count("#board .row") == (board.get("gobang.game.outcome.winner") is not None)


def test_a_game_of_three_by_clicks(board: Board) -> None:
    board.page.click("#new")
    board.page.click("#presets button[data-side='5']")
    board.page.fill("#count", "3")
    for colour in ("White", "Red"):
        board.page.select_option(f"#seats select[aria-label='{colour}']", "other")
    for text in board.page.locator("#seats input[aria-label='Text of the player']:visible").all():
        text.fill("random")
    board.page.click("#start")
    board.until("gobang.game.players === 3 && gobang.game.seats.join() === 'human,random,random'")
    while not board.get("gobang.game.outcome"):
        free = [f"{column}{row}" for row in range(1, 6) for column in "abcde" if f"{column}{row}" not in board.moves]
        board.click(free[0])
        board.until("gobang.game.outcome || gobang.game.toMove === 0")
    board.until("/wins|win!|draw/.test(document.getElementById('status').textContent)")
    assert board.count("#board .stone.p2") == len(board.moves) // 3
    assert board.count("#players .player") == 3


def test_a_wrong_player_is_named_in_the_dialog(board: Board) -> None:
    board.page.click("#new")
    board.page.select_option("#seats select[aria-label='Black']", "other")
    board.page.fill("#seats input[aria-label='Text of the player']:visible", "unifrom")
    board.page.click("#start")
    board.page.wait_for_selector("#new-error:has-text('did you mean uniform?')")


def test_undo_takes_the_move_back(board: Board) -> None:
    board.click("c3", "d4")
    board.page.click("#undo")
    board.until("gobang.game.moves.length === 1")
    assert board.count("#board .stone") == 1


def test_a_person_opens_by_swap2(board: Board) -> None:
    board.page.click("#new")
    board.page.click("#presets button[data-side='6']")
    board.page.select_option("#opening", "swap2")
    board.page.select_option("#seats select[aria-label='White']", "beginner")
    board.page.click("#start")
    board.until("gobang.game.opening === 'swap2' && document.getElementById('status').textContent.includes('3 stones')")
    board.click("c3", "d4", "c4")
    board.until("gobang.game.chosen.length === 1")
    colour = board.get("gobang.game.seats[0] === 'human' ? 'black' : 'white'")
    board.until(f"document.getElementById('status').textContent.startsWith('You have {colour}')")
    assert "Computer, beginner" in board.text("#players")


def test_a_player_opens_by_swap2_and_a_person_chooses(board: Board) -> None:
    board.new_game(opening="swap2", seats=["uniform:sims=8", "human"])
    board.page.click("[data-choice='two']")
    board.until("document.getElementById('status').textContent.includes('2 stones')")
    free = [name for name in ("a1", "b1", "c1", "d1", "e1") if name not in board.moves]
    board.click(*free[:2])
    board.until("gobang.game.chosen.length === 2 && gobang.game.settled === 5")
    board.new_game(opening="swap", seats=["uniform:sims=8", "human"])
    board.until("document.querySelectorAll('[data-choice]').length === 2")  # when the player has put its stones
    board.page.click("[data-choice='black']")
    board.until("gobang.game.seats[0] === 'human' && gobang.game.moves.length === 4")


def test_colours_are_changed_in_mid_game(board: Board) -> None:
    board.new_game(seats=["human", "random"], paused=True)
    board.click("c3", "d4", "c4")
    board.page.click("#swap")
    board.until("gobang.game.seats[0] === 'random'")
    board.page.click("#pause")
    board.click("d5")
    board.until("gobang.game.moves.length === 5 || gobang.game.outcome")


def test_a_press_is_a_move_whatever_is_drawn_before_the_release(board: Board, served: Served) -> None:
    board.page.mouse.move(*board.place("c3"))
    board.page.mouse.down()
    served.ask(f"/api/games/{board.get('gobang.game.id')}/moves", {"move": "d4"})  # in another tab
    board.until("gobang.game.moves.length === 1")
    board.page.mouse.up()
    board.until("gobang.game.moves.join() === 'd4,c3'")
    board.until("document.querySelectorAll('#board .stone').length >= 2")


def test_text_of_others_never_becomes_markup(board: Board) -> None:
    markup = '"><img class=evil>'
    board.get(f"""() => {{
        gobang.setup.run = {{ name: '{markup}', seats: ['run:best'] }};
        gobang.setup.players = {{ '{markup}': '{markup}' }};
        gobang.game.seats[1] = '{markup}';
        gobang.game.version = '{markup}';
    }}""")
    board.page.click("#new")
    assert board.page.input_value("#seats input[aria-label='Text of the player']:visible") == markup
    assert f"This run's best weights ({markup})" in board.text("#seats")
    assert board.count(".evil") == 0
    with pytest.raises(Exception, match="TrustedHTML"):
        board.get("document.body.innerHTML = 'text'")


def test_the_keyboard_is_enough(board: Board) -> None:
    board.page.keyboard.press("Tab")
    board.page.focus("#board")
    for key in ("ArrowLeft", "ArrowUp", "Enter"):
        board.page.keyboard.press(key)
    board.until("gobang.game.moves.length === 1")
    assert board.moves == ["c5"]
    board.page.locator("#board").blur()
    for key, seen in (("ArrowLeft", "0 / 1"), ("End", "1 / 1")):
        board.page.keyboard.press(key)
        assert board.text("#ply") == seen
    board.page.keyboard.press("m")
    assert board.text("#board .number") == "1"
    board.page.keyboard.press("u")
    board.until("gobang.game.moves.length === 0")


def test_forbidden_points_are_marked_and_refused(board: Board) -> None:
    moves = ["h9", "a1", "h10", "a3", "i8", "a5", "j8", "a7"]
    board.new_game(boardXSize=15, boardYSize=15, k=5, rules="renju", moves=moves)
    assert board.count("#board .forbidden") == 1
    board.page.mouse.click(*board.place("h8"))
    board.page.wait_for_selector("#toast:has-text('double three')")


def test_two_tabs_show_one_game(board: Board, served: Served, errors: list[str]) -> None:
    other = Board(board.page.context.new_page(), served, errors)
    other.show(f"#game/{board.get('gobang.game.id')}")
    other.until("gobang.isConnected && gobang.game")
    board.click("c3")
    other.until("gobang.game.moves.length === 1")
    other.click("d4")
    board.until("gobang.game.moves.length === 2")


def test_a_failing_player_is_told_of(board: Board) -> None:
    board.new_game(seats=["hmcts", "human", "human"], players=3)
    board.until("document.getElementById('status').textContent.includes('threats are those of two players')")
    assert board.text("#pause") == "Go on"


def test_a_server_that_is_killed_and_comes_back_goes_on_with_the_game(browser: Any, errors: list[str]) -> None:
    first = Served()
    board = Board(browser.new_page(), first, errors)
    board.new_game(seats=["human", "random"])
    board.click("c3")
    board.until("gobang.game.moves.length === 2")
    first.process.kill()
    first.process.wait()
    first.process.stdout.close()  # type: ignore[union-attr]
    board.until("!gobang.isConnected && document.getElementById('status').textContent.includes('server is gone')")
    before = board.moves
    second = Served(port=first.port)
    try:
        board.until("gobang.isConnected")
        board.click(next(name for name in ("a1", "a2", "a3") if name not in before))
        board.until("gobang.game.moves.length === 4")
        assert board.moves[:2] == before
    finally:
        second.close()
        board.page.close()
    assert errors == []


@pytest.mark.parametrize("width", [320, 390])
def test_a_finger_plays_on_a_phone(browser: Any, served: Served, errors: list[str], width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True)
    board = Board(context.new_page(), served, errors)
    board.new_game(boardXSize=15, boardYSize=15, k=5)
    assert board.get("document.scrollingElement.scrollWidth <= window.innerWidth")
    board.page.touchscreen.tap(*board.place("h8"))
    assert board.moves == []
    board.page.locator("#confirm-play:has-text('Play h8')").tap()
    board.until("gobang.game.moves.length === 1")
    for _ in range(2):
        board.page.touchscreen.tap(*board.place("i9"))
    board.until("gobang.game.moves.length === 2")
    context.close()
    assert errors == []
