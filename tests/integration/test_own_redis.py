"""A run on a Redis server of the user's own, which encrypts, with a password that nobody is to see."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterable
from pathlib import Path

import pytest

from learner.replay.pool.redis_pool import connect
from learner.replay.pool.redis_server import RedisServer
from tests.docs.pages import ROOT, text
from tests.integration.launched import Launched
from tests.integration.nodes import command_of
from tests.learner.replay.proxies import certificate, proxy, tls

SECRET = "correct-horse-battery-staple"


def files_with_secret(folders: Iterable[Path]) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if SECRET.encode() in path.read_bytes()]


def who_shows_secret(launched: Launched) -> list[str]:
    return [line for process in launched.living() if SECRET in (line := command_of(process))]


@pytest.mark.heavy
def test_a_run_goes_on_after_a_flush_and_shows_its_password_nowhere(tmp_path, launch):
    server = RedisServer(tmp_path / "own")
    server.start()
    administrator = connect(server.url)
    (user,) = re.findall(r"^    ACL SETUSER .*$", text(ROOT / "docs/security.md"), re.MULTILINE)
    administrator.execute_command(*user.replace("PASSWORD", SECRET).split())
    trusted = certificate(tmp_path)
    with proxy(server, encrypted=tls(trusted)) as port:
        url = f"rediss://gobang:{SECRET}@127.0.0.1:{port}/0?ssl_ca_certs={trusted}"
        launched = launch(tmp_path / "run", "--preset", "tiny", "--minutes", "30", "--redis", url)
        before = launched.wait_for(lambda values: values["version"] >= 1, seconds=600)
        session = Path(json.loads((launched.run / "address.json").read_text())["session"])
        assert who_shows_secret(launched) == []
        assert files_with_secret([launched.run, session]) == []
        administrator.flushall()
        launched.wait_for(
            lambda values: (
                values["lost"] > 0
                and values["games"] > before["games"] + values["lost"]
                and values["version"] > before["version"] + 1
            ),
            seconds=600,
        )
        assert launched.end(signal.SIGTERM) == 0
    assert re.search(r"warning: [\d,]+ games are gone from redis at rediss://gobang@127\.0\.0\.1", launched.output)
    assert files_with_secret([launched.run]) == []
    assert SECRET not in launched.output
    server.stop()
