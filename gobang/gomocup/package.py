"""`gobang package --player SPEC --out DIR`: a folder that Piskvork and other Gomocup managers start as an engine.

    pbrain-gobang-net/
        pbrain-gobang-net        launcher for Linux and macOS
        pbrain-gobang-net.bat    launcher for Windows
        gobang/                  the package; Python and its libraries are the machine's
        weights.safetensors      of a player with a network; critic.safetensors of a critic
        kernels/                 compiled for this machine's kind of CPU, so that START is answered at once
        README.txt

The launchers take the Python that made the package, or else the one on PATH; GOBANG_PYTHON names
another.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Final

from gobang.children import tied
from gobang.errors import GobangError, InvalidConfig, InvalidSpec, PlayerFailure
from gobang.players.engine_process import EngineProcess
from gobang.players.levels import LEVELS
from gobang.players.options import BUILTIN_CRITIC, CriticOptions, NetOptions
from gobang.players.spec import PlayerSpec, parse
from gobang.players.trained import weights_file

_WEIGHTS: Final = "weights.safetensors"
_CRITIC: Final = "critic.safetensors"
_REFUSED: Final = {
    "human": "the manager wants an engine that chooses by itself",
    "gomocup": "the manager wants an engine that chooses by itself",
    "exact": "managers play on 15x15 and 20x20, which are too large to be solved",
}
_MOVE: Final = re.compile(r"\d+,\d+")
_PLAIN: Final = re.compile(r"[\w:=,.+-]*", re.ASCII)  # means itself to sh and to cmd.exe
_LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "web", "bench", "*.pyc")
_LEFT_OUT_WITH_WEIGHTS: Final = shutil.ignore_patterns("__pycache__", "web", "bench", "*.pyc", "builtin")
_COMPILE_SECONDS: Final = 600.0
_SIDES: Final = (15, 20)  # of the boards on which Gomocup plays

_LINUX: Final = """\
#!/bin/sh
# Starts the engine for a Gomocup manager; GOBANG_PYTHON names the Python to use.
here=$(cd "$(dirname "$0")" && pwd)
cd "$here" || exit 1
python=$GOBANG_PYTHON
[ -n "$python" ] || python=@python@
[ -x "$python" ] || python=python3
export PYTHONPATH="$here" NUMBA_CACHE_DIR="${NUMBA_CACHE_DIR:-$here/kernels}"
exec "$python" -m gobang.gomocup@arguments@
"""
_WINDOWS: Final = """\
@echo off
rem Starts the engine for a Gomocup manager; GOBANG_PYTHON names the Python to use.
cd /d "%~dp0"
set "PYTHONPATH=%~dp0"
if not defined NUMBA_CACHE_DIR set "NUMBA_CACHE_DIR=%~dp0kernels"
if not defined GOBANG_PYTHON set "GOBANG_PYTHON=python"
"%GOBANG_PYTHON%" -m gobang.gomocup@arguments@
"""
_README: Final = """\
An engine for Gomocup managers such as Piskvork: @words@.

Linux, macOS: start @name@            Windows: start @name@.bat
It needs Python 3.10 or newer with @libraries@; GOBANG_PYTHON names it if it is not the one on PATH.
The folder may be moved. On another kind of CPU its kernels are compiled once more; a simple player moves meanwhile.
"""


def run(arguments: argparse.Namespace) -> int:
    """Make the package and compile its kernels; leave nothing behind if that fails."""
    spec = parse(arguments.player) if arguments.player else None
    if spec is not None and spec.name in _REFUSED:
        raise InvalidSpec(f"--player {arguments.player}: {_REFUSED[spec.name]}")
    folder = new_folder(spec, arguments.out)
    try:
        write_package(spec, folder)
        sys.stdout.write(f"{folder}: compiling, which takes a minute or two\n")
        sys.stdout.flush()
        seconds = compile_ahead(spec, folder)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise GobangError(str(error)) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    sys.stdout.write(f"{folder} is ready; OK came after {seconds:.1f} s with all compiled\n")
    return 0


def new_folder(spec: PlayerSpec | None, out: Path) -> Path:
    """Make the folder of a package in `out`, which must not be there yet; raise InvalidConfig or GobangError."""
    folder = out / (f"pbrain-gobang-{spec.name}" if spec else "pbrain-gobang")
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise InvalidConfig(f"{folder} is there already; choose another --out") from error
    except OSError as error:
        raise GobangError(str(error)) from error
    return folder


def write_package(spec: PlayerSpec | None, folder: Path) -> None:
    """Write all but the kernels; `None` is the trained player of each board.  Raises GobangError, OSError."""
    file = _file_of(spec)
    if file is not None and not file.is_file():
        raise InvalidSpec(f"{file}: no such file")
    needs_networks = spec is None or spec.name in LEVELS
    shutil.copytree(
        Path(str(files("gobang"))), folder / "gobang", ignore=_LEFT_OUT if needs_networks else _LEFT_OUT_WITH_WEIGHTS
    )
    spec = _packed(spec)
    if file is not None:
        shutil.copyfile(file, folder / (_WEIGHTS if _has_network(spec) else _CRITIC))
    _write_launchers(folder, str(spec) if spec else "", has_network=needs_networks or _has_network(spec))


def compile_ahead(spec: PlayerSpec | None, folder: Path) -> float:
    """Fill the package's cache, and let the engine move on each of the usual boards; return the most seconds to OK."""
    own = {"PYTHONPATH": str(folder.resolve()), "NUMBA_CACHE_DIR": str((folder / "kernels").resolve())}
    player = ["--player", str(_packed(spec))] if spec else []
    command = [sys.executable, "-m", "gobang.warm", *player]
    done = subprocess.run(tied(command), cwd=folder, env=os.environ | own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PlayerFailure(f"the player does not start in its package: {_last_line(done.stderr)}")
    return max(_exercise(folder, side) for side in _SIDES)


def _file_of(spec: PlayerSpec | None) -> Path | None:
    """Return the file that a player brings, if any."""
    if spec is not None and isinstance(spec.options, NetOptions):
        return Path(weights_file(spec.options.file))
    if spec is not None and isinstance(spec.options, CriticOptions) and spec.options.file != BUILTIN_CRITIC:
        return Path(spec.options.file)
    return None


def _packed(spec: PlayerSpec | None) -> PlayerSpec | None:
    """Return the player as its package knows it, with the file beside the launchers."""
    if spec is not None and isinstance(spec.options, NetOptions):
        return replace(spec, options=replace(spec.options, file=_WEIGHTS))
    if spec is not None and isinstance(spec.options, CriticOptions) and spec.options.file != BUILTIN_CRITIC:
        return replace(spec, options=replace(spec.options, file=_CRITIC))
    return spec


def _has_network(spec: PlayerSpec | None) -> bool:
    return spec is not None and isinstance(spec.options, NetOptions)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it says no reason"


def _exercise(folder: Path, side: int) -> float:
    """Start the engine, let it move twice, end it; return the seconds to its OK.  Raises PlayerFailure."""
    started = time.monotonic()
    engine = EngineProcess(shlex.quote(str((folder / folder.name).resolve())))
    try:
        engine.send(f"START {side}")
        answer = engine.read_line(started + _COMPILE_SECONDS)
        seconds = time.monotonic() - started
        if answer != "OK":
            raise PlayerFailure(f"{folder}: the engine answers START with {answer!r}")
        engine.send("INFO timeout_turn 1000")
        for command in ("BEGIN", "TURN 0,0"):
            engine.send(command)
            answer = engine.read_line(time.monotonic() + _COMPILE_SECONDS)
            if not _MOVE.fullmatch(answer):
                raise PlayerFailure(f"{folder}: the engine answers {command} with {answer!r}")
    finally:
        engine.close("END")
    return seconds


def _write_launchers(folder: Path, player: str, *, has_network: bool) -> None:
    """Write both launchers and README.txt; the text of a packed player holds no sign that a shell reads."""
    assert _PLAIN.fullmatch(player), player
    linux, windows = folder / folder.name, folder / f"{folder.name}.bat"
    arguments = f" --player {player}" if player else ""
    linux.write_text(_filled(_LINUX, python=shlex.quote(sys.executable), arguments=arguments), encoding="utf-8")
    linux.chmod(0o755)
    windows.write_text(_filled(_WINDOWS, arguments=arguments), encoding="utf-8", newline="\r\n")
    readme = _filled(
        _README,
        name=folder.name,
        words=f"the player {player}" if player else "the trained network of the board",
        libraries="numpy, numba, pyyaml, safetensors and openvino"
        if has_network
        else "numpy, numba, pyyaml, safetensors",
    )
    (folder / "README.txt").write_text(readme, encoding="utf-8")


def _filled(text: str, **values: str) -> str:
    """Return a template with its values; a value is never looked at for further names."""
    return re.sub(r"@(\w+)@", lambda name: values[name[1]], text)
