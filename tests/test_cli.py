import importlib
from types import SimpleNamespace

import pytest

from gobang import cli
from gobang.errors import InvalidSpec


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Replaces the subcommands' modules by one that notes its arguments and returns 7."""
    noted: list[list[str]] = []

    def run(argv: list[str]) -> int:
        noted.append(argv)
        if argv == ["bad"]:
            raise InvalidSpec("'bad': no player")
        return 7

    monkeypatch.setattr(importlib, "import_module", lambda name: SimpleNamespace(main=run))
    return noted


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_subcommand_gets_the_rest_and_gives_the_status(name: str, calls: list[list[str]]) -> None:
    assert cli.main([name, "--size", "8"]) == 7
    assert calls == [["--size", "8"]]


def test_mistake_is_reported_without_a_traceback(calls: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["match", "bad"]) == 2
    assert capsys.readouterr().err == "gobang: 'bad': no player\n"


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"]])
def test_help_names_every_command(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(argv) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in cli.COMMANDS)


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("gobang ")


@pytest.mark.parametrize(("name", "hint"), [("macth", "did you mean match?"), ("zzz", "there is play, train")])
def test_wrong_command_names_the_nearest(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name]) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize("name", ["play", "gomocup"])
def test_help_of_commands_lists_players_and_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main([name, "--help"])
    shown = capsys.readouterr().out
    assert f"usage: gobang {name}" in shown
    assert "`temperature`" in shown


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([name, "--help"])
    assert end.value.code == 0
    assert "usage:" in capsys.readouterr().out
