"""What `make` installs: the right torch, with progress, and pip's own words when it fails."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "install.py"
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
    hashed, torch, project = script.steps(**settings)
    assert hashed.arguments == script.HASHED
    assert project.arguments[-2:] == ("-e", ".[dev]")
    arguments: tuple[str, ...] = torch.arguments
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


def pins(name: str) -> dict[str, set[str]]:
    """The versions of each package in a file of pins, by its normalised name."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([\w.-]+)==([^ ;\n]+)", (ROOT / name).read_text(), re.MULTILINE):
        found.setdefault(re.sub("[-_.]+", "-", package).lower(), set()).add(version)
    return found


def test_the_lock_holds_what_the_constraints_pin_and_nothing_that_brings_cuda() -> None:
    locked, pinned = pins(".ci/requirements.lock"), pins("constraints.txt")
    assert {name: versions for name, versions in locked.items() if versions != pinned.get(name)}.keys() == {
        "colorama",  # of Windows
        "pyreadline3",  # of Windows
        "setuptools",  # without a pin
    }
    assert pinned.keys() - locked.keys() == {"torch", "playwright", "greenlet"}


def test_every_line_of_the_lock_has_hashes() -> None:
    text = (ROOT / ".ci/requirements.lock").read_text()
    entries = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE | re.IGNORECASE)[1:]
    assert len(entries) > 100
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry)] == []


def test_pip_refuses_a_file_with_another_hash(script: ModuleType, tmp_path: Path) -> None:
    package = tmp_path / "fine-1.0.tar.gz"
    package.write_bytes(b"not what was locked")
    (tmp_path / "lock").write_text(f"fine @ {package.as_uri()} --hash=sha256:{'0' * 64}\n")
    arguments = [str(tmp_path / "lock") if word.endswith(".lock") else word for word in script.HASHED]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", *arguments]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr


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


def test_building_the_project_fetches_nothing_without_a_hash(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index from which pip can take no setuptools stands for one that has a false setuptools."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text().partition("[project]")[0])
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = demo\nversion = 1\n[options.extras_require]\ndev =\n")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", NOWHERE)
    monkeypatch.setenv("PIP_RETRIES", "0")
    *_, project = script.steps(system="darwin")
    command = [sys.executable, "-m", "pip", "install", "--dry-run", *project.arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "demo" in done.stdout
