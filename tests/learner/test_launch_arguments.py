"""What other users of the machine see of a launcher."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from learner.replay.pool.redis_url import PASSWORD_VARIABLE

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("user", "given"), [(":secret@", {}), ("", {PASSWORD_VARIABLE: "secret"})])
def test_the_password_of_redis_is_sent_and_not_seen(tmp_path: Path, user: str, given: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"127.0.0.1:{server.getsockname()[1]}/0"
        words = ["-m", "learner.launch", "--preset", "tiny", "--run", str(tmp_path / "run"), "--redis"]
        with subprocess.Popen(
            [sys.executable, *words, f"redis://{user}{place}"],
            env={**os.environ, **given},
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        ) as launcher:
            server.settimeout(180)
            with server.accept()[0] as client:
                assert b"secret" in client.recv(1000)
                seen = psutil.Process(launcher.pid).cmdline()
            said = launcher.communicate()[1]
    assert seen[1:] == [*words, f"redis://{place}"]
    assert f"no Redis server at redis://{place}" in said
    assert ("give it in GOBANG_REDIS_PASSWORD" in said) == bool(user)
    assert "secret" not in said
