import io
import shlex
import sys
from pathlib import Path

import pytest

from gobang.cli import main
from gobang.players.human import Console
from gobang.players.player import Turn
from gobang.players.random_player import RandomPlayer
from gobang.rules.position import Position
from gobang.terminal import play
from gobang.types import UNDECIDED, Variant

VARIANT = Variant.square(5, k=3)


def run(monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return main(["play", "--player", "random", "--size", "5", "--k", "3", "--seed", "1", *arguments])


def test_person_wins_a_game(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    every_point = "\n".join(f"{column}{row}" for row in range(1, 6) for column in "abcde")
    assert run(monkeypatch, every_point) == 0
    shown = capsys.readouterr().out
    assert "5x5, 3 in a row, freestyle. You are black, against random." in shown
    assert shown.endswith("You win.\n")
    assert "[X]" in shown.splitlines()[-3]


def test_leaving_is_no_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "c3\nundo\nc4\n", "--colour", "white") == 0
    shown = capsys.readouterr().out
    assert "black (X) plays" in shown
    assert shown.endswith("You left the game.\n")


class Recorder(RandomPlayer):
    """Keeps the number of the game of each turn."""

    games: list[int]

    def choose(self, turns: list[Turn]) -> list[int]:  # type: ignore[override]
        self.games = [*getattr(self, "games", []), *(turn.game for turn in turns)]
        return super().choose(turns)


def test_undo_takes_both_last_moves_back(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("undo\nc3\nundo\nb2\nundo\nundo\na5\n"))
    position, player = Position(VARIANT), Recorder(seed=1)
    assert play(0, player, position, Console()) == UNDECIDED
    assert len(position.moves) == 2
    assert position.moves[0] == 20
    assert len(set(player.games)) == len(player.games) == 3
    assert capsys.readouterr().out.count("There is no move of yours to take back.") == 2


def test_wrong_player_or_board_is_refused_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, reason in ((["--player", "unifrom"], "did you mean uniform?"), (["--size", "2"], "3 to 22 points")):
        with pytest.raises(SystemExit, match="2"):
            main(["play", *arguments])
        assert reason in capsys.readouterr().err


def test_without_a_player_the_board_decides_who_plays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gobang.terminal.default_player", lambda variant: "random" if variant == VARIANT else "human")
    monkeypatch.setattr("sys.stdin", io.StringIO("quit"))
    assert main(["play", "--size", "5", "--k", "3"]) == 0
    assert "against random" in capsys.readouterr().out


def test_failure_of_the_player_ends_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = shlex.join([sys.executable, "-S", str(Path(__file__).parent / "players" / "broken_engine.py"), "illegal"])
    monkeypatch.setattr("sys.stdin", io.StringIO("h8\nh9\nh10\n"))
    assert main(["play", "--player", f"gomocup:{engine}", "--colour", "white"]) == 1
    assert "The game ends: gomocup:" in capsys.readouterr().out


def test_an_engine_that_does_not_start_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["play", "--player", "gomocup:false", "--colour", "white"])
    assert "error: gomocup:false: ended with status 1" in capsys.readouterr().err
