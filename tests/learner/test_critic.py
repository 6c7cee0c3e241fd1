"""The command that teaches a critic, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gobang.players import parse
from gobang.players.spec import make_player
from gobang.types import Variant
from learner.critic import main

SIZE = ["--size", "5", "--k", "4", "--seed", "5"]
MANY = "10000000"


def wait_for(condition: Callable[[], object], seconds: float = 300.0) -> None:
    """Look again and again, since a process that is killed cannot be asked."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def games_of(out: Path) -> int:
    """How many games the critic in a file has learned from."""
    content = out.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return int(json.loads(header["__metadata__"]["gobang critic"])["games"])


def test_goes_on_after_a_kill_as_if_there_had_been_none(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed.safetensors", tmp_path / "whole.safetensors"
    command = [sys.executable, "-m", "learner.critic", "--out", str(killed), "--games", MANY, "--every", MANY, *SIZE]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for(killed.exists)
    finally:
        process.kill()
        process.wait()
    games = games_of(killed) + 400
    asked = ["--games", str(games), "--every", str(games - 100), *SIZE]
    assert main(["--out", str(killed), "--resume", *asked]) == 0
    assert main(["--out", str(whole), *asked]) == 0
    assert killed.read_bytes() == whole.read_bytes()
    assert Path(f"{killed}.course").read_bytes() == Path(f"{whole}.course").read_bytes()
    lines = [json.loads(line) for line in Path(f"{killed}.jsonl").read_text().splitlines()]
    assert [line["games"] for line in lines] == [games - 100]
    assert lines[0]["random"] > 0.6
    make_player(parse(f"critic:{killed}"), Variant.square(5, k=4), seed=1)


def test_what_cannot_go_on_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "critic.safetensors"
    arguments = ["--out", str(out), "--games", "5", *SIZE]
    assert main([*arguments, "--resume"]) == 2
    assert main(arguments) == 0
    assert main(arguments) == 2
    assert main([*arguments, "--resume", "--rate", "0.5"]) == 2
    said = capsys.readouterr().err
    for reason in ("holds no course", "is there already", "begun with rate 0.1, not 0.5"):
        assert reason in said
