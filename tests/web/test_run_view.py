from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest

from gobang.cli import main
from gobang.errors import InvalidCheckpoint
from gobang.run_folder import RunFolder, best_weights, weights_path
from gobang.web.run_view import MOST_LINES, Curves, RunView
from gobang.web.service import Service
from learner.run.viewing import RunOnDisk
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


@pytest.mark.parametrize("count", [0, 1, 6, 399, 400, 401, 5000])
@pytest.mark.parametrize("batch", [1, 7, 10_000])
def test_curves_are_thinned_out_as_they_come(count: int, batch: int) -> None:
    curves = Curves()
    for start in range(0, count, batch):
        curves.add([{"loss": float(number)} for number in range(start, min(start + batch, count))])
    drawn = curves.as_json().get("loss", [])
    assert drawn[-1:] == [count - 1.0] * (count > 0)
    assert min(count, MOST_LINES // 2) <= len(drawn) <= MOST_LINES
    assert len({after - before for before, after in pairwise(drawn[:-1])}) <= 1


def test_what_two_look_at_is_read_once(folder: RunFolder) -> None:
    class Watched(RunOnDisk):
        positions: ClassVar[list[int]] = []

        def metrics(self, position: int) -> tuple[Sequence[Mapping[str, float]], int]:
            self.positions.append(position)
            return super().metrics(position)

    async def look_twice() -> list[Any]:
        view = RunView(Watched(folder.root), Service())
        answers = await asyncio.gather(*(view._show(None) for _ in range(2)))  # type: ignore[arg-type]
        await view.close()
        return [json.loads(answer.text) for answer in answers]

    curves = [answer["curves"]["loss"] for answer in asyncio.run(look_twice())]
    assert [len(curve) for curve in curves] == [6, 6]
    assert Watched.positions.count(0) == 1


@pytest.mark.parametrize("damage", [lambda blob: b"", lambda blob: blob[:-1], lambda blob: None])
def test_damaged_weights_are_refused_and_asked_for_again(
    folder: RunFolder, damage: Callable[[bytes], bytes | None]
) -> None:
    class Damaged(RunOnDisk):
        is_damaged = True

        def weights(self, which: str, known: int) -> bytes | None:
            blob = super().weights(which, known)
            return damage(blob or b"") if self.is_damaged else blob

    async def ask_twice() -> bytes:
        run = Damaged(folder.root)
        view = RunView(run, Service())
        with pytest.raises(InvalidCheckpoint):
            await view.resolve("run:latest")
        run.is_damaged = False
        player, _ = await view.resolve("run:latest")
        content = Path(player.removeprefix("net:")).read_bytes()
        await view.close()
        return content

    assert asyncio.run(ask_twice()) == best_weights(folder).read_bytes()
