import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from gobang.cli import main
from gobang.players.human import Console, Style, draw_for_person
from gobang.players.player import Turn
from gobang.players.random_player import RandomPlayer
from gobang.rules.position import Position, draw_board
from gobang.sgf import read_sgf
from gobang.terminal import Table
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
    assert run(monkeypatch, "c3\nundo\nc4\nquit\n", "--colour", "white") == 0
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
    table = Table(position=position, person=0, player=player, console=Console())
    assert table.play() == UNDECIDED
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


def test_the_end_of_the_input_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "c3\n") == 0
    assert capsys.readouterr().out.endswith("\nThe input has ended, so the game ends here.\n")


def test_a_hint_names_moves_with_chances(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("gobang.analysis.desk.default_analyst", lambda variant: "uniform")
    assert run(monkeypatch, "hint\nquit\n") == 0
    assert "win 100 %" in capsys.readouterr().out


def test_the_player_can_be_changed_in_mid_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "level\nlevel unifrom\nlevel gomocup:true\nlevel uniform:sims=8\nc3\nquit\n") == 0
    shown = capsys.readouterr().out
    assert "You play against random" in shown
    assert "did you mean uniform?" in shown
    assert "a request cannot name gomocup; allowed are random, " in shown
    assert "From now on against uniform:sims=8." in shown


def test_a_game_is_saved_as_sgf(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "My Game.sgf"
    assert run(monkeypatch, f"c3\nsave {path}\nsave /nowhere/x.sgf\nquit\n") == 0
    (game,) = read_sgf(path.read_text())
    assert (game.moves[0], game.players) == (12, ("human", "random"))
    assert "No such file" in capsys.readouterr().out


def test_saving_replaces_only_what_this_game_has_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    note, link, own = tmp_path / "note", tmp_path / "link", tmp_path / "own.sgf"
    note.write_text("precious")
    link.symlink_to(tmp_path / "elsewhere")
    lines = [f"save {path}" for path in (note, link, own)]
    assert run(monkeypatch, "\n".join([*lines, "c3", f"save {own}", "quit\n"])) == 0
    assert note.read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == [link, note, own]
    assert len(read_sgf(own.read_text())[0].moves) >= 1
    assert capsys.readouterr().out.count("is there already: choose another name") == 2


def test_a_name_that_is_no_path_is_said_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "save ~no-such-user/x\nsave a\0b\nc3\nquit\n") == 0
    assert "You left the game." in capsys.readouterr().out


def test_the_largest_board_fits_into_sixty_columns() -> None:
    position = Position(Variant.square(22), moves=(0, 21, 483))
    text = draw_for_person(position, Style(columns=60))
    assert max(map(len, text.splitlines())) < 60
    assert text.splitlines()[0].endswith("[X")
    assert draw_for_person(position, Style(columns=80)) == draw_board(position)


def test_colours_change_no_letter() -> None:
    position = Position(Variant.square(15), moves=(0, 1, 2, 17))
    for columns in (40, 80):
        plain = draw_for_person(position, Style(columns=columns))
        coloured = draw_for_person(position, Style(columns=columns, is_coloured=True))
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
        assert coloured.count("\x1b[0m") == 4


def test_a_person_plays_against_two(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "c3\nundo\nc4\nlevel beginner\nsave\nquit\n", "--colour", "red", "--players", "3") == 0
    shown = capsys.readouterr().out
    assert "3 players. You are red, against random, which plays black and white." in shown
    assert "From now on against beginner." in shown
    assert "SGF has two colours" in shown
    assert "red (#) to move>" in shown


def test_two_players_have_no_third_colour(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, "quit\n", "--colour", "red")
    assert "--colour red: 2 players have black, white" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("players", "opponent"),
    [("3", "net:builtin-8x8-three, which plays white and red"), ("4", "rollout, which plays white and red and blue")],
)
def test_more_than_two_play_with_the_network_for_them_or_with_rollouts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], players: str, opponent: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert main(["play", "--size", "8", "--players", players]) == 0
    assert f"against {opponent}" in capsys.readouterr().out
