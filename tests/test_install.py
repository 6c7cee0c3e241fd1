"""What `make` installs: the right torch, with progress, and pip's own words when it fails."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "install.py"
NOWHERE = "http://127.0.0.1:9"  # nothing listens there


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("install", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "install", module)  # dataclasses look there
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "has_gpu", lambda: False)
    return module


class Index(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/cpu/torch/" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def torch_arguments(script: ModuleType, **settings: str) -> tuple[str, ...]:
    arguments: tuple[str, ...] = next(script.steps(**settings)).arguments
    return arguments


def test_linux_without_a_gpu_gets_torch_for_cpus(script: ModuleType, index: str) -> None:
    wanted = ("torch", "--extra-index-url", f"{index}/cpu")
    assert torch_arguments(script, system="linux", cpu_wheels=f"{index}/cpu") == wanted
    assert torch_arguments(script, system="darwin", cpu_wheels=f"{index}/cpu") == ("torch",)


@pytest.mark.parametrize("place", ["{index}/other", NOWHERE])
def test_without_that_index_the_configured_one_serves(
    place: str, script: ModuleType, index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert torch_arguments(script, system="linux", cpu_wheels=place.format(index=index)) == ("torch",)
    assert "is out of reach" in capsys.readouterr().out


def test_a_gpu_gets_the_usual_torch(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "has_gpu", lambda: True)
    assert torch_arguments(script, system="linux", cpu_wheels=NOWHERE) == ("torch",)


def test_progress_is_shown_and_a_failure_quoted(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(SCRIPT.parents[1])
    monkeypatch.setattr(script, "_SECONDS_IN_LOG", 0.05)
    monkeypatch.setattr(script, "_megabytes", lambda folder: 1234)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    step = script.Step(name="nothing", arguments=("--dry-run", "gobang-has-no-such-package"), megabytes=1)
    assert script.install(step, "[1/1]") != 0
    shown = capsys.readouterr()
    assert "[1/1] nothing: 0 s, 1,234 MB of the environment are on disk" in shown.out
    assert "No matching distribution found for gobang-has-no-such-package" in shown.err
