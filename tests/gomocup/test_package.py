"""Packages for Gomocup managers, made and played by the real commands."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from gobang.cli import main
from gobang.critic.file import BUILTIN
from gobang.errors import InvalidConfig, InvalidSpec
from gobang.gomocup.package import compile_ahead, new_folder, write_package
from gobang.players.gomocup import GomocupPlayer
from gobang.players.options import GomocupOptions
from gobang.players.player import Turn
from gobang.players.random_player import RandomPlayer
from gobang.players.spec import parse
from gobang.players.trained import trained_names
from gobang.rules import kernel_cache
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant

ANSWER_SECONDS = 300.0
# Every kind of player that a package can hold; None is the default, the trained network of each board.
PLAYERS = (
    None,
    "random",
    "pattern",
    "alphabeta:nodes=500",
    "rollout:sims=10000000",
    "hmcts:sims=50",
    "critic:builtin",
    "uniform:sims=50",
    "net:builtin-15x15-lines,sims=20",
    "net:builtin-15x15,sims=20",
    "beginner",
    "max",
)


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages are made; the current folder holds nothing that could help a player."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "engines"


def written(player: str | None, out: Path) -> Path:
    """A package without its kernels."""
    spec = parse(player) if player else None
    folder = new_folder(spec, out)
    write_package(spec, folder)
    return folder


def moved_package(player: str | None, out: Path) -> Path:
    """A whole package in another place than it was made; kernels of this machine save the time to compile."""
    folder = written(player, out)
    shutil.copytree(kernel_cache.folder(), folder / "kernels" / "gobang" / "kernels")
    compile_ahead(parse(player) if player else None, folder)
    return Path(shutil.move(folder, out / "a moved & renamed %PATH% package"))


def conversation(launcher: Path, *lines: str) -> list[str]:
    """All answers of an engine to lines, from its start to its end."""
    said = subprocess.run(
        [launcher], input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, timeout=ANSWER_SECONDS
    )
    assert said.returncode == 0, said.stderr
    return [line for line in said.stdout.splitlines() if not line.startswith("MESSAGE")]


def plays(player: str | None, out: Path) -> None:
    """Make a package, move it, and let it play there, with neither this source nor its cache at hand."""
    package = moved_package(player, out)
    (launcher,) = (path for path in package.iterdir() if path.name.startswith("pbrain") and not path.suffix)
    ok, first, second = conversation(launcher, "START 15", "INFO timeout_turn 500", "TURN 7,7", "TURN 0,0", "END")
    assert ok == "OK"
    assert first != second
    for move in (first, second):
        x, y = map(int, move.split(","))
        assert 0 <= x < 15
        assert 0 <= y < 15


def test_of_two_packages_made_at_once_one_is_refused(out: Path) -> None:
    folder = new_folder(None, out)
    with pytest.raises(InvalidConfig, match="is there already"):
        new_folder(None, out)
    assert folder.is_dir()


def test_a_dangling_link_is_in_the_way_of_a_package(out: Path) -> None:
    out.mkdir(exist_ok=True)
    (out / "pbrain-gobang").symlink_to(out / "nowhere")
    with pytest.raises(InvalidConfig, match="is there already"):
        new_folder(None, out)


def test_a_package_has_launchers_the_library_and_its_weights(out: Path) -> None:
    folder = written("net:builtin-5x5,ms=200", out)
    assert folder.name == "pbrain-gobang-net"
    launcher = folder / folder.name
    assert launcher.stat().st_mode & 0o111
    assert "--player net:weights.safetensors,ms=200" in launcher.read_text()
    assert b"--player net:weights.safetensors,ms=200\r\n" in (folder / f"{folder.name}.bat").read_bytes()
    assert (folder / "weights.safetensors").stat().st_size > 100_000
    assert (folder / "gobang" / "gomocup" / "engine.py").exists()
    assert not list(folder.rglob("builtin"))


def test_without_a_player_all_trained_ones_come_along(out: Path) -> None:
    folder = written(None, out)
    assert "--player" not in (folder / folder.name).read_text()
    files = (folder / "gobang" / "players" / "builtin").glob("*.safetensors")
    assert {f"builtin-{file.stem}" for file in files} == set(trained_names())


def test_nothing_is_overwritten_and_no_weights_are_made_up(out: Path) -> None:
    written("random", out)
    with pytest.raises(InvalidConfig, match="is there already"):
        written("random", out)
    with pytest.raises(InvalidSpec, match="no such file"):
        written("net:missing.safetensors", out)
    with pytest.raises(InvalidSpec, match="no such file"):
        written("critic:/dev/zero", out)


@pytest.mark.parametrize("player", ["human", "exact", "gomocup:./engine"])
def test_players_that_no_manager_can_start_are_refused(
    player: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["package", "--player", player, "--out", str(out)])
    assert capsys.readouterr().err.startswith(f"gobang package: error: --player {player}: ")
    assert not out.exists()


def test_the_name_of_a_file_reaches_no_shell(out: Path, tmp_path: Path) -> None:
    critic = tmp_path / "a%PATH%\" & echo $(id) `id` '.safetensors"
    shutil.copyfile(BUILTIN, critic)
    folder = written(f"critic:{critic},depth=2", out)
    assert (folder / "critic.safetensors").read_bytes() == BUILTIN.read_bytes()
    for launcher in (folder / folder.name, folder / f"{folder.name}.bat"):
        text = launcher.read_text()
        assert "gobang.gomocup --player critic:critic.safetensors,depth=2\n" in text
        assert "echo" not in text.replace("@echo off", "")


def test_a_player_that_does_not_start_leaves_no_package(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("no-network.safetensors").write_text("this is no network")
    for _ in range(2):
        with pytest.raises(SystemExit, match="2"):
            main(["package", "--player", "net:no-network.safetensors", "--out", str(out)])
        (line,) = capsys.readouterr().err.splitlines()
        assert "weights.safetensors" in line
        assert not list(out.iterdir())


def test_a_network_of_its_own_plays_in_another_folder(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH")
    shutil.copyfile(Path(__file__).parents[2] / "gobang/players/builtin/15x15-lines.safetensors", "own.safetensors")
    plays("net:own.safetensors,sims=20", out)


@pytest.mark.heavy
def test_a_critic_of_its_own_plays_in_another_folder(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH")
    shutil.copyfile(BUILTIN, "own.safetensors")
    plays("critic:own.safetensors", out)


@pytest.mark.heavy
@pytest.mark.parametrize("player", PLAYERS)
def test_every_kind_of_player_plays_in_another_folder(
    player: str | None, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH")
    plays(player, out)


@pytest.mark.heavy
def test_a_package_that_compiled_its_own_kernels_plays_a_whole_game(out: Path) -> None:
    assert main(["package", "--player", "pattern", "--out", str(out)]) == 0
    package = Path(shutil.move(out / "pbrain-gobang-pattern", out / "with a space"))
    engine = GomocupPlayer(
        GomocupOptions(command=shlex.quote(str(package / "pbrain-gobang-pattern")), start=300.0), Variant.square(15)
    )
    position, opponent = Position(Variant.square(15)), RandomPlayer(seed=1)
    try:
        while position.outcome == UNDECIDED:
            player = engine if position.to_move == 0 else opponent
            position.play(player.choose([Turn(game=0, position=position)])[0])
    finally:
        engine.close()
    assert position.outcome == 0
