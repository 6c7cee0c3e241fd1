"""`gobang package --player SPEC --out DIR`: a folder that Piskvork and other Gomocup managers start as an engine.

    pbrain-gobang-net/
        pbrain-gobang-net        launcher for Linux and macOS
        pbrain-gobang-net.bat    launcher for Windows
        gobang/                  the package; Python and its libraries are the machine's
        weights.safetensors      of a player with a network
        kernels/                 compiled for this machine's kind of CPU, so that START is answered at once
        README.txt

The launchers take the Python that made the package, or else the one on PATH; GOBANG_PYTHON names
another.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Final

from gobang.errors import GobangError, InvalidConfig, InvalidSpec, PlayerFailure
from gobang.players.engine_process import EngineProcess
from gobang.players.levels import LEVELS
from gobang.players.options import NetOptions
from gobang.players.spec import PlayerSpec, parse
from gobang.players.trained import weights_file

_WEIGHTS: Final = "weights.safetensors"
_LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "web", "bench", "*.pyc")
_LEFT_OUT_WITH_WEIGHTS: Final = shutil.ignore_patterns("__pycache__", "web", "bench", "*.pyc", "builtin")
_COMPILE_SECONDS: Final = 600.0
_SIDES: Final = (15, 20)  # of the boards on which Gomocup plays

_LINUX: Final = """\
#!/bin/sh
# Starts the engine for a Gomocup manager; GOBANG_PYTHON names the Python to use.
here=$(cd "$(dirname "$0")" && pwd)
cd "$here" || exit 1
python=${GOBANG_PYTHON:-@python@}
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
    """Make the package, and compile ahead in it."""
    spec = parse(arguments.player) if arguments.player else None
    if spec is not None and spec.name in ("human", "gomocup"):
        raise InvalidSpec(f"--player {arguments.player}: the manager wants an engine that chooses by itself")
    try:
        folder = write_package(spec, arguments.out)
    except OSError as error:
        raise GobangError(str(error)) from error
    sys.stdout.write(f"{folder}: compiling, which takes a minute or two\n")
    sys.stdout.flush()
    seconds = compile_ahead(folder)
    sys.stdout.write(f"{folder} is ready; OK came after {seconds:.1f} s with all compiled\n")
    return 0


def write_package(spec: PlayerSpec | None, out: Path) -> Path:
    """The folder with all but the kernels; `None` is the trained player of each board.  Raises GobangError, OSError."""
    name = f"pbrain-gobang-{spec.name}" if spec else "pbrain-gobang"
    folder = out / name
    if folder.exists():
        raise InvalidConfig(f"{folder} is there already; choose another --out")
    weights = Path(weights_file(spec.options.file)) if spec and isinstance(spec.options, NetOptions) else None
    if weights is not None and not weights.is_file():
        raise InvalidSpec(f"{weights}: no such file")
    folder.mkdir(parents=True)
    left_out = _LEFT_OUT if spec is None or spec.name in LEVELS else _LEFT_OUT_WITH_WEIGHTS
    shutil.copytree(Path(str(files("gobang"))), folder / "gobang", ignore=left_out)
    if spec is not None and weights is not None and isinstance(spec.options, NetOptions):
        shutil.copyfile(weights, folder / _WEIGHTS)
        spec = replace(spec, options=replace(spec.options, file=_WEIGHTS))
    _write_launchers(folder, str(spec) if spec else "", has_network=spec is None or weights is not None)
    return folder


def compile_ahead(folder: Path) -> float:
    """Fill the package's cache, and let the engine move on each of the usual boards; the most seconds to its OK."""
    own = {"PYTHONPATH": str(folder.resolve()), "NUMBA_CACHE_DIR": str((folder / "kernels").resolve())}
    command = [sys.executable, "-m", "gobang.warm"]
    done = subprocess.run(command, cwd=folder, env=os.environ | own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PlayerFailure(f"{folder}: kernels do not compile: {done.stderr[-500:]}")
    return max(_exercise(folder, side) for side in _SIDES)


def _exercise(folder: Path, side: int) -> float:
    """Start the engine, let it move twice, end it; seconds to its OK.  Raises PlayerFailure."""
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
            engine.read_line(time.monotonic() + _COMPILE_SECONDS)
    finally:
        engine.close("END")
    return seconds


def _write_launchers(folder: Path, player: str, *, has_network: bool) -> None:
    linux, windows = folder / folder.name, folder / f"{folder.name}.bat"
    quoted = f" --player {shlex.quote(player)}" if player else ""
    linux.write_text(_filled(_LINUX, python=shlex.quote(sys.executable), arguments=quoted), encoding="utf-8")
    linux.chmod(0o755)
    quoted = f' --player "{player}"' if player else ""
    windows.write_text(_filled(_WINDOWS, arguments=quoted), encoding="utf-8", newline="\r\n")
    readme = _filled(
        _README,
        name=folder.name,
        words=f"the player {player}" if player else "the trained network of the board",
        libraries="numpy, numba, openvino and safetensors" if has_network else "numpy and numba",
    )
    (folder / "README.txt").write_text(readme, encoding="utf-8")


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
