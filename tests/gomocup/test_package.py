import shlex
import shutil
from pathlib import Path

import pytest

from gobang.cli import main
from gobang.errors import InvalidConfig, InvalidSpec
from gobang.gomocup.package import compile_ahead, write_package
from gobang.players.gomocup import GomocupPlayer
from gobang.players.options import GomocupOptions
from gobang.players.player import Turn
from gobang.players.random_player import RandomPlayer
from gobang.players.spec import parse
from gobang.players.trained import trained_names
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant


def test_a_package_has_launchers_the_library_and_its_weights(tmp_path: Path) -> None:
    folder = write_package(parse("net:builtin-5x5,ms=200"), tmp_path / "engines")
    assert folder.name == "pbrain-gobang-net"
    launcher = folder / folder.name
    assert launcher.stat().st_mode & 0o111
    assert "--player net:weights.safetensors,ms=200" in launcher.read_text()
    assert b'--player "net:weights.safetensors,ms=200"\r\n' in (folder / f"{folder.name}.bat").read_bytes()
    assert (folder / "weights.safetensors").stat().st_size > 100_000
    assert (folder / "gobang" / "gomocup" / "engine.py").exists()
    assert not list(folder.rglob("builtin"))


def test_without_a_player_all_trained_ones_come_along(tmp_path: Path) -> None:
    folder = write_package(None, tmp_path)
    assert "--player" not in (folder / folder.name).read_text()
    files = (folder / "gobang" / "players" / "builtin").glob("*.safetensors")
    assert {f"builtin-{file.stem}" for file in files} == set(trained_names())


def test_nothing_is_overwritten_and_no_weights_are_made_up(tmp_path: Path) -> None:
    write_package(parse("random"), tmp_path)
    with pytest.raises(InvalidConfig, match="is there already"):
        write_package(parse("random"), tmp_path)
    with pytest.raises(InvalidSpec, match="no such file"):
        write_package(parse("net:missing.safetensors"), tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["package", "--player", "human", "--out", str(tmp_path)])


@pytest.mark.heavy
def test_a_package_plays_a_whole_game_from_another_place(tmp_path: Path) -> None:
    folder = write_package(parse("pattern"), tmp_path / "here")
    assert compile_ahead(folder) < 5
    moved = Path(shutil.move(folder, tmp_path / "with a space"))
    engine = GomocupPlayer(
        GomocupOptions(command=shlex.quote(str(moved / folder.name)), start=300.0), Variant.square(15)
    )
    position, opponent = Position(Variant.square(15)), RandomPlayer(seed=1)
    try:
        while position.outcome == UNDECIDED:
            player = engine if position.to_move == 0 else opponent
            position.play(player.choose([Turn(game=0, position=position)])[0])
    finally:
        engine.close()
    assert position.outcome == 0
