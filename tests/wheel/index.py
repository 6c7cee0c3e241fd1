"""A package index on this machine that has the project alone; for all other names it refers to the configured index."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from gobang.version import DISTRIBUTION
from tests.wheel.environments import outside

PUBLIC = "https://pypi.org/simple"


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalIndex:
    """The address for pip and uv, and what they have asked for, e.g. "gobang-zero" or a name of a file."""

    url: str
    asked: list[str] = field(default_factory=list)

    def variables(self, folder: Path) -> dict[str, str]:
        """Return variables that make pip, pipx and uv use this index and keep their files in `folder`."""
        return {
            "PIP_INDEX_URL": self.url,
            "UV_DEFAULT_INDEX": self.url,
            "UV_CACHE_DIR": str(folder / "uv"),
            "UV_TOOL_DIR": str(folder / "uv-tools"),
            "UV_PYTHON": sys.executable,
            "UV_PYTHON_DOWNLOADS": "never",
            "PIPX_HOME": str(folder / "pipx"),
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "PIPX_DEFAULT_BACKEND": "pip",
        }


@contextmanager
def served(distributions: list[Path], folder: Path) -> Iterator[LocalIndex]:
    """Serve the files on the loopback address, from a folder that is laid out as a simple index."""
    home = folder / "simple" / DISTRIBUTION
    home.mkdir(parents=True)
    for distribution in distributions:
        (home / distribution.name).symlink_to(distribution)
    asked: list[str] = []
    handler = partial(_Handler, directory=str(folder), asked=asked, elsewhere=_configured_index())
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield LocalIndex(url=f"http://127.0.0.1:{server.server_port}/simple", asked=asked)
        server.shutdown()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: Any, asked: list[str], elsewhere: str, **options: Any) -> None:
        self._asked = asked
        self._elsewhere = elsewhere
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:
        name = self.path.strip("/").split("/")[-1]
        self._asked.append(name)
        if self.path.startswith(f"/simple/{DISTRIBUTION}/"):
            super().do_GET()
            return
        self.send_response(302)
        self.send_header("Location", f"{self._elsewhere}/{name}/")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def _configured_index() -> str:
    """Return the index that pip uses where nothing else is said."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, env=outside()).stdout.strip()
    return (os.environ.get("PIP_INDEX_URL") or configured or PUBLIC).rstrip("/")
