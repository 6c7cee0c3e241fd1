import socket
from collections.abc import Callable

import pytest

from gobang.errors import PoolUnavailable
from learner.replay.pool.redis_pool import connect
from learner.replay.pool.redis_server import RedisServer
from learner.replay.pool.redis_survey import survey
from tests.learner.replay.proxies import proxy

StartServer = Callable[..., RedisServer]


def test_a_server_such_as_a_run_starts_is_found_fit(server: RedisServer) -> None:
    assert survey(server.url) == survey(server.local_url) == []


def test_one_that_evicts_is_refused_with_what_to_set(start_server: StartServer) -> None:
    server = start_server()
    connect(server.url).config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(
        PoolUnavailable, match=r"maxmemory-policy allkeys-lru\): tell it CONFIG SET maxmemory-policy noev"
    ):
        survey(server.url)


def test_one_that_forgets_is_warned_of(start_server: StartServer) -> None:
    server = start_server()
    connect(server.url).config_set("appendonly", "no")
    (warning,) = survey(server.url)
    assert "loses games when it ends" in warning


def test_one_that_lets_everybody_in_is_warned_of_unless_it_is_on_this_machine(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_server()
    elsewhere = server.url.replace("127.0.0.1", "elsewhere.example")
    found = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *more, **named: found("127.0.0.1" if host == "elsewhere.example" else host, *more, **named),
    )
    assert survey(elsewhere) == []
    client = connect(server.local_url)
    client.acl_setuser("ann", enabled=True, passwords=["+secret"], keys=["*"], commands=["+@all"])
    client.execute_command("ACL", "SETUSER", "default", "nopass")
    known = elsewhere.replace(elsewhere.split("@")[0], "redis://ann:secret")
    (warning,) = survey(known)
    assert "asks for no password" in warning
    assert "secret" not in warning
    assert survey(server.url.split(":")[0] + "://" + server.url.split("@")[1]) == []


def test_one_that_is_too_old_is_refused(server: RedisServer) -> None:
    version = connect(server.url).info()["redis_version"].encode()
    user = server.url.split("@")[0]
    with (
        proxy(server, change=lambda said: said.replace(version, b"6.0" + version[3:])) as port,
        pytest.raises(PoolUnavailable, match=r"is version 6\.0\.\d+: at least 6\.2 is needed"),
    ):
        survey(f"{user}@127.0.0.1:{port}")


def test_none_is_said_in_one_line() -> None:
    with pytest.raises(PoolUnavailable, match=r"^no Redis server at redis://127\.0\.0\.1:1: .*refused") as caught:
        survey("redis://:secret@127.0.0.1:1")
    assert "secret" not in str(caught.value)
