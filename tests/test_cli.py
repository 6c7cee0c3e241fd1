import importlib
import subprocess
import sys
from argparse import Namespace
from types import SimpleNamespace

import pytest

from gobang import cli
from gobang.command_line import variant_of
from gobang.commands import COMMANDS
from gobang.errors import InvalidSpec
from gobang.types import Variant

READ_HERE = [name for name, command in COMMANDS.items() if command.arguments]
PLAYED = ["play", "match", "timing"]  # commands whose board is of any size
NEEDED = {"match": ["--a", "random", "--b", "random"], "timing": ["--player", "random"]}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Namespace | list[str]]:
    """Replaces the commands' modules by one that notes its arguments and returns 7."""
    noted: list[Namespace | list[str]] = []

    def run(arguments: Namespace | list[str]) -> int:
        noted.append(arguments)
        if "bad" in str(arguments):
            raise InvalidSpec("'bad': no player")
        return 7

    monkeypatch.setattr(importlib, "import_module", lambda name: SimpleNamespace(main=run, run=run))
    return noted


@pytest.mark.parametrize("name", PLAYED)
def test_the_game_is_given_alike(name: str, calls: list[Namespace]) -> None:
    needed = NEEDED.get(name, [])
    assert cli.main([name, *needed]) == cli.main([name, *needed, "--size", "6x5", "--k", "4"]) == 7
    assert [variant_of(arguments) for arguments in calls] == [Variant(), Variant(height=6, width=5, k=4)]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in READ_HERE])
def test_others_read_the_rest_themselves(name: str, calls: list[list[str]]) -> None:
    assert cli.main([name, "--preset", "8x8"]) == 7
    assert calls == [["--preset", "8x8"]]


@pytest.mark.parametrize("arguments", [["play", "--player", "bad"], ["bench", "bad"]])
def test_mistake_is_reported_without_a_traceback(
    arguments: list[str], calls: list[Namespace], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    assert capsys.readouterr().err.endswith(f"gobang {arguments[0]}: error: 'bad': no player\n")


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["help"]])
def test_help_names_every_command(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(argv)
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out.startswith("gobang ")


@pytest.mark.parametrize(("name", "hint"), [("macth", "did you mean match"), ("zzz", "known are bench, doctor")])
def test_wrong_command_names_the_nearest(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main([name])
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize("name", ["play", "gomocup"])
def test_help_of_commands_lists_players_and_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main([name, "--help"])
    shown = capsys.readouterr().out
    assert f"usage: gobang {name}" in shown
    assert "`temperature`" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main([name, "--help"])
    assert "usage:" in capsys.readouterr().out


@pytest.mark.parametrize("name", READ_HERE)
def test_a_module_run_by_itself_is_the_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    alone = importlib.import_module(COMMANDS[name].module).main
    for main, words in ((cli.main, [name]), (alone, [])):
        with pytest.raises(SystemExit, match="2"):
            main([*words, "--frob"])
        assert capsys.readouterr().err.startswith(f"usage: gobang {name} ")


def test_a_wrong_flag_loads_no_framework() -> None:
    program = """
import sys
from gobang import cli
for words in (["play", "--frob"], ["exact", "--frob"], ["bench", "--frob"], ["export", "--help"], ["--help"]):
    try:
        cli.main(words)
    except SystemExit:
        pass
print(*sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not {"numba", "ray", "torch"} & set(run.stdout.split())
