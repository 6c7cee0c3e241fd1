import importlib
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import pytest

from gobang import cli, command_line
from gobang.benchmarks import BENCHMARKS
from gobang.command_line import typed, variant_of
from gobang.commands import COMMANDS
from gobang.errors import InvalidSpec
from gobang.types import Variant

PLAYED = ["play", "match", "timing"]  # commands whose board is of any size
NEEDED = {"match": ["--a", "random", "--b", "random"], "timing": ["--player", "random"]}
DOORS = ["train", "pull", "doctor", "report", "match", "exact", "gomocup", "bench"]  # which run as modules, too


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Namespace]:
    """Replaces the commands' modules by one that notes its arguments and returns 7."""
    noted: list[Namespace] = []

    def run(arguments: Namespace) -> int:
        noted.append(arguments)
        if "bad" in str(arguments):
            raise InvalidSpec("'bad': no player")
        if "torchless" in str(arguments):
            raise ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")
        return 7

    monkeypatch.setattr(importlib, "import_module", lambda name: SimpleNamespace(run=run))
    return noted


@pytest.mark.parametrize("name", PLAYED)
def test_the_game_is_given_alike(name: str, calls: list[Namespace]) -> None:
    needed = NEEDED.get(name, [])
    assert cli.main([name, *needed]) == cli.main([name, *needed, "--size", "6x5", "--k", "4"]) == 7
    assert [variant_of(arguments) for arguments in calls] == [Variant(), Variant(height=6, width=5, k=4)]


def test_every_board_is_given_as_height_and_width() -> None:
    help_texts = [help_of(name) for name in COMMANDS] + [help_of("bench", name) for name in BENCHMARKS]
    assert all("--size HxW" in text and "--rule" in text for text in help_texts if "--size" in text)


def help_of(*words: str) -> str:
    run = subprocess.run([sys.executable, "-m", "gobang.cli", *words, "--help"], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(f"usage: gobang {' '.join(words)} ")
    return run.stdout


@pytest.mark.parametrize(
    ("player", "message"),
    [("bad", "'bad': no player"), ("torchless", "this needs torch, which is not installed: pip install 'gobang-zero'")],
)
def test_a_mistake_is_one_line(
    player: str, message: str, calls: list[Namespace], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["play", "--player", player])
    assert capsys.readouterr().err == f"gobang play: error: {message}\n"


def test_a_missing_package_is_answered_with_the_extra_of_the_command(
    calls: list[Namespace], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["report", "--run", "torchless"])
    assert capsys.readouterr().err.endswith("pip install 'gobang-zero[report]'\n")


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["help"]])
def test_help_names_every_command(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(argv)
    shown = capsys.readouterr().out
    assert all(re.search(rf"^    {name}\s", shown, re.MULTILINE) for name in COMMANDS)


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("gobang ")


@pytest.mark.parametrize(("name", "hint"), [("macth", "did you mean match"), ("zzz", f"known are {min(COMMANDS)}")])
def test_wrong_command_names_the_nearest(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main([name])
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize("name", ["play", "gomocup"])
def test_help_of_commands_lists_players_and_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main([name, "--help"])
    assert "`temperature`" in capsys.readouterr().out


@pytest.mark.parametrize("name", DOORS)
def test_usage_names_what_was_typed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = COMMANDS[name].module
    for main, prog in ((cli.main, ""), (importlib.import_module(module).main, module.removesuffix(".__main__"))):
        with pytest.raises(SystemExit, match="2"):
            main(["--frob"] if prog else [name, "--frob"])
        assert capsys.readouterr().err.startswith(f"usage: {f'python -m {prog}' if prog else f'gobang {name}'} ")


def test_help_and_wrong_flags_load_nothing_slow() -> None:
    """Numpy alone takes longer than all the rest."""
    program = """
import sys
from gobang import cli
from gobang.commands import COMMANDS
import learner.launch, learner.doctor, learner.pull
for words in [["--help"], *([name, flag] for name in COMMANDS for flag in ("--help", "--frob"))]:
    try:
        cli.main(words)
    except SystemExit:
        pass
print(*sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not {"numpy", "numba", "ray", "torch", "openvino", "matplotlib"} & set(run.stdout.split())


def test_a_hint_is_a_name_on_the_path_or_a_full_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "with space" / "gobang"
    script.parent.mkdir()
    monkeypatch.setattr(command_line.sys, "executable", str(script.with_name("python")))
    monkeypatch.setattr(command_line.sys, "argv", ["pytest"])
    assert typed("train") == f"'{script.with_name('python')}' -m gobang.cli train"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert typed("train") == f"'{script}' train"
    monkeypatch.setenv("PATH", str(script.parent))
    assert typed("train") == "gobang train"
