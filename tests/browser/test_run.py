from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gobang.run_folder import RunFolder
from learner.replay.pool.redis_claim import pool_name
from learner.replay.pool.redis_pool import RedisPool
from learner.replay.pool.redis_server import RedisServer
from tests.browser.board import Board
from tests.evaluator.report.written import BOARD, write_run
from tests.learner.replay.games import stored_games
from tests.web.served import Served

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(write_run(tmp_path / "8x8-1"))


@pytest.fixture
def pool(folder: RunFolder) -> Iterator[RedisPool]:
    server = RedisServer(folder.redis)
    server.start()
    folder.write_address({"namespace": "gobang-8x8-1"})
    yield RedisPool(server.local_url, BOARD, name=pool_name("gobang-8x8-1", folder.identity()))
    server.stop()


def test_a_run_is_watched_live(browser: Any, folder: RunFolder, pool: RedisPool, errors: list[str]) -> None:
    for game in stored_games(BOARD, 3):
        pool.add(game)
    folder.write_parts([{"name": "actor 0", "place": "process 7", "doing": "plays with v5: 12 games"}])
    served = Served("--run", str(folder.root))
    board = Board(browser.new_page(), served, errors)
    try:
        board.show("#run")
        board.page.wait_for_selector(".plot polyline", state="attached")
        assert "plays with v5" in board.text("#view-run")
        board.page.wait_for_selector(".mini [data-game]")
        before = board.get("document.querySelector('.plot polyline').getAttribute('points').split(' ').length")
        summary = folder.read_summary()
        with folder.metrics.open("a") as file:
            file.write(json.dumps({"time": 2000.0, "seconds": 900.0, "loss": 0.1}) + "\n")
        folder.write_summary({**summary, "values": {**summary["values"], "games": 4321}})
        board.page.wait_for_selector(".tile:has-text('4,321')")
        after = board.get("document.querySelector('.plot polyline').getAttribute('points').split(' ').length")
        assert after == before + 1
        board.page.locator(".mini [data-game]").first.click()
        board.until("gobang.study && gobang.study.moves.length > 0")
        assert board.get("document.querySelector('#curve .win-black').getAttribute('d').length") > 0
    finally:
        board.page.close()
        served.close()
    assert errors == []


def test_without_a_run_the_page_says_how_to_watch_one(board: Board) -> None:
    board.page.click("#tab-run")
    board.page.wait_for_selector("#view-run:has-text('gobang web --run')")
