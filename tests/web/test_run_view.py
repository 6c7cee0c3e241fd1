from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gobang.cli import main
from gobang.run_folder import RunFolder, best_weights, weights_path
from tests.evaluator.report.written import BOARD, write_run
from tests.web.served import Served


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = RunFolder(write_run(tmp_path_factory.mktemp("runs") / "8x8-1"))
    weights_path(folder, 5).write_bytes(best_weights(folder).read_bytes())
    return folder


@pytest.fixture(scope="module")
def watching(folder: RunFolder) -> Iterator[Served]:
    page = Served("--run", str(folder.root))
    yield page
    page.close()


def test_a_run_is_shown_with_its_curves(watching: Served) -> None:
    assert watching.ask("/api/setup")[1]["run"]["seats"] == ["run:best", "run:latest"]
    run = watching.ask("/api/run")[1]
    assert (run["name"], run["boardXSize"], run["versions"]) == ("8x8-1", 8, {"latest": 5})
    assert len(run["curves"]["loss"]) == len(run["curves"]["seconds"]) == 6
    assert run["matches"][0]["candidate"] == "v2"


def test_without_a_pool_there_are_no_live_games(watching: Served) -> None:
    status, answer = watching.ask("/api/run/games")
    assert status == 400
    assert "Redis" in answer["error"]


def test_weights_of_the_run_play_and_are_followed(watching: Served, folder: RunFolder) -> None:
    fields = {"boardXSize": BOARD.width, "seats": ["run:latest,sims=2", "human"]}
    game = watching.ask("/api/games", fields)[1]
    address = f"/api/games/{game['id']}"
    assert watching.wait_for(address, lambda state: len(state["moves"]) == 1)["version"] == "v5"
    weights_path(folder, 6).write_bytes(best_weights(folder).read_bytes())
    free = next(name for name in ("a1", "b1") if name not in watching.ask(address)[1]["moves"])
    watching.ask(f"{address}/moves", {"move": free})
    assert watching.wait_for(address, lambda state: len(state["moves"]) == 3)["version"] == "v6"


def test_what_the_run_has_not_is_said(watching: Served) -> None:
    game = watching.ask("/api/games", {"boardXSize": 8, "seats": ["run:best", "human"]})[1]
    state = watching.wait_for(f"/api/games/{game['id']}", lambda state: state["trouble"])
    assert "no best weights yet" in state["trouble"]


def test_a_folder_without_a_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["web", "--run", str(tmp_path)])
    assert "not the folder of a run" in capsys.readouterr().err
