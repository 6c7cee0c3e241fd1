"""The page as a person handles it."""

from __future__ import annotations

import time
from typing import Any

from tests.web.served import Served

SECONDS = 300.0  # where kernels are still to be compiled
CELL, EDGE = 40, 42  # of the drawing; board.js
SMALL = {"boardXSize": 6, "boardYSize": 6, "k": 4}


class Board:
    """A tab."""

    def __init__(self, page: Any, served: Served, errors: list[str]) -> None:
        self.page, self.served = page, served
        page.set_default_timeout(1000 * SECONDS)
        page.on("pageerror", lambda error: errors.append(str(error)))

    def new_game(self, **fields: Any) -> str:
        """Begin a game and show it; its id."""
        game = self.served.ask("/api/games", {**SMALL, "seats": ["human", "human"], **fields})[1]
        self.show(f"#game/{game['id']}")
        self.until(f"gobang.isConnected && gobang.game && gobang.game.id === '{game['id']}'")
        return str(game["id"])

    def show(self, place: str) -> None:
        """Open the page anew."""
        self.page.goto("about:blank")
        self.page.goto(self.served.address + place)

    def get(self, expression: str) -> Any:
        """Of JavaScript; the page's own rules forbid Playwright's waiting for functions."""
        return self.page.evaluate(expression)

    def until(self, expression: str) -> None:
        """Wait for an expression to become true."""
        deadline = time.monotonic() + SECONDS
        while not self.get(f"Boolean(window.gobang && ({expression}))"):
            assert time.monotonic() < deadline, f"{expression}: {self.page.inner_text('body')[:2000]}"
            self.page.wait_for_timeout(30)

    def place(self, name: str) -> tuple[float, float]:
        """Where a point is on the screen."""
        side = self.get("gobang.game.boardXSize"), self.get("gobang.game.boardYSize")
        box = self.get("document.querySelector('#board svg').getBoundingClientRect().toJSON()")
        scale = box["width"] / (CELL * (side[0] - 1) + 2 * EDGE)
        x, y = EDGE + CELL * (ord(name[0]) - ord("a")), EDGE + CELL * (side[1] - int(name[1:]))
        return box["x"] + scale * x, box["y"] + scale * y

    def click(self, *names: str) -> None:
        """Play points by the mouse, each as soon as the one before is there."""
        for name in names:
            self.page.mouse.click(*self.place(name))
            self.until(f"gobang.game.moves.includes('{name}')")

    @property
    def moves(self) -> list[str]:
        """Of the game that the page knows."""
        return list(self.get("gobang.game.moves"))

    def count(self, selector: str) -> int:
        """How many elements there are."""
        return int(self.page.locator(selector).count())

    def text(self, selector: str) -> str:
        """What an element says."""
        return str(self.page.text_content(selector))
