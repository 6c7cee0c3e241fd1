"""`gobang tournament`: everyone is met, a kill costs nothing that was over, and the page shows it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.tournament import main
from gobang.sgf import read_sgf

BOARD = ["--size", "5", "--k", "4", "--games", "4", "--json"]
PLAYERS = ("alphabeta:nodes=50", "pattern", "random")
SECONDS = 120.0


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def test_everyone_meets_everyone_in_both_colours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PLAYERS, *BOARD, "--out", str(tmp_path)]) == 0
    fields = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert fields["players"][-1]["name"] == "random"
    assert [(each["a"], each["b"]) for each in fields["matches"]] == [
        ("alphabeta:nodes=50", "pattern"),
        ("alphabeta:nodes=50", "random"),
        ("pattern", "random"),
    ]
    games = lines(tmp_path)
    assert sorted(each["game"] for each in games) == list(range(12))
    for a, b in (PLAYERS[:2], PLAYERS[1:], PLAYERS[::2]):
        assert [(each["black"], each["white"]) for each in games].count((a, b)) == 2
        assert [(each["black"], each["white"]) for each in games].count((b, a)) == 2


def test_points_go_to_who_made_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*PLAYERS, *BOARD, "--out", str(tmp_path)])
    table = json.loads(capsys.readouterr().out.splitlines()[-1])
    for player in table["players"]:
        won = [
            each for each in lines(tmp_path) if each["result"] in each and each[str(each["result"])] == player["name"]
        ]
        assert player["wins"] == len(won)


def test_three_players_meet_as_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rollout:sims=60", "rollout:sims=4", "random", "--size", "4", "--k", "3", "--players", "3"]
    arguments += ["--games", "12", "--json", "--out", str(tmp_path)]
    assert main(arguments) == 0
    table = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert table["players"][0]["name"] == "rollout:sims=60"
    for player in table["players"]:
        won = [each for each in lines(tmp_path) if each.get(str(each["result"])) == player["name"]]
        assert player["wins"] == len(won)
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == table
    page = (tmp_path / "tournament.html").read_text()
    assert "as all others" in page
    assert "games.sgf" not in page


def test_in_a_gauntlet_the_first_meets_all_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PLAYERS, *BOARD, "--gauntlet", "--out", str(tmp_path)]) == 0
    fields = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [(each["a"], each["b"]) for each in fields["matches"]] == [(PLAYERS[0], other) for other in PLAYERS[1:]]


def test_a_killed_tournament_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rollout:sims=400", "random", *BOARD[:-3], "--games", "60", "--out", str(tmp_path)]
    process = subprocess.Popen([sys.executable, "-m", "evaluator.tournament", *arguments], stdout=subprocess.DEVNULL)
    kept, deadline = tmp_path / "games.jsonl", time.monotonic() + SECONDS
    while not (kept.exists() and kept.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = lines(tmp_path)
    assert 0 < len(before) < 60
    assert main(arguments) == 0
    assert f"{len(before)} of 60 games were played before" in capsys.readouterr().err
    assert lines(tmp_path)[: len(before)] == before
    assert sorted(each["game"] for each in lines(tmp_path)) == list(range(60))


def test_what_is_over_is_not_played_again(tmp_path: Path) -> None:
    arguments = [*PLAYERS, *BOARD, "--out", str(tmp_path)]
    main(arguments)
    written = (tmp_path / "games.jsonl").stat().st_mtime_ns
    assert main(arguments) == 0
    assert (tmp_path / "games.jsonl").stat().st_mtime_ns == written


def test_the_page_shows_players_and_games(tmp_path: Path) -> None:
    main([*PLAYERS, *BOARD, "--out", str(tmp_path)])
    page = (tmp_path / "tournament.html").read_text()
    assert all(page.count(player) >= 2 for player in PLAYERS)
    assert page.count('r="5" fill="currentColor"/>') == 3
    assert len((tmp_path / "games.sgf").read_text().split("(;")) == 13
    assert read_sgf((tmp_path / "games.sgf").read_text())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pattern"], "two players or more"),
        (["pattern", "random", "pattern"], "pattern is named twice"),
        (["pattern", "radom"], "no player is called 'radom'"),
        (["pattern", "random", "--games", "3"], "--games 3"),
        (["pattern", "random", "--out", "/proc/nowhere"], "--out /proc/nowhere"),
    ],
)
def test_wrong_arguments_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*BOARD, "--out", str(tmp_path), *arguments])
    assert message in capsys.readouterr().err


def test_another_tournament_in_the_folder_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*PLAYERS, *BOARD, "--out", str(tmp_path)])
    before = lines(tmp_path)
    with pytest.raises(SystemExit):
        main([*PLAYERS[:2], *BOARD, "--out", str(tmp_path)])
    assert "holds another tournament: its players differ" in capsys.readouterr().err
    assert lines(tmp_path) == before


@pytest.mark.parametrize("name", ["games.jsonl", "games.sgf", "tournament.html"])
def test_a_foreign_file_in_the_folder_is_left_alone(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("precious, and without a line end")
    with pytest.raises(SystemExit):
        main([*PLAYERS[1:], *BOARD, "--out", str(tmp_path)])
    assert f"holds {name}, but no tournament; name a new folder" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "precious, and without a line end"
    assert list(tmp_path.iterdir()) == [tmp_path / name]


@pytest.mark.parametrize("name", ["games.jsonl", "games.sgf", "tournament.html"])
def test_a_link_in_a_tournament_is_not_followed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    arguments = [*PLAYERS[1:], *BOARD, "--out", str(out)]
    main(arguments)
    elsewhere.write_text("precious, and without a line end")
    (out / name).unlink()
    (out / name).symlink_to(elsewhere)
    with pytest.raises(SystemExit):
        main(arguments)
    assert f"{name} is no ordinary file" in capsys.readouterr().err
    assert elsewhere.read_text() == "precious, and without a line end"
