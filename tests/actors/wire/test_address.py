import contextlib
import secrets
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors.wire.address import bound_address, connect, listen, stop_listening
from gobang.errors import InvalidConfig


def short_path(prefix: str = "gobang") -> Path:
    return Path(f"/tmp/{prefix}-{secrets.token_hex(6)}.sock")


def test_tcp_gets_a_port():
    with listen("tcp:127.0.0.1:0") as listener:
        address = bound_address(listener)
        assert not address.endswith(":0")
        connect(address, 5).close()


def test_a_port_is_free_again_at_once_after_a_server_with_clients():
    with listen("tcp:127.0.0.1:0") as listener:
        address = bound_address(listener)
        with connect(address, 5) as client:
            listener.accept()[0].close()  # the side that closes first keeps the port for a minute
            assert client.recv(1) == b""
    listen(address).close()


@pytest.mark.parametrize("prefix", ["gobang", "chosen-by-the-user"])
def test_a_socket_left_behind_is_replaced(prefix):
    path = short_path(prefix)
    listen(f"unix:{path}").close()
    assert path.exists()
    with pytest.raises(ConnectionRefusedError):
        connect(f"unix:{path}", 5)
    with listen(f"unix:{path}") as listener:
        assert bound_address(listener) == f"unix:{path}"
        connect(f"unix:{path}", 5).close()
    path.unlink()


def test_a_file_in_the_place_of_a_socket_stays():
    path = short_path()
    path.write_text("of a year")
    with pytest.raises(InvalidConfig, match="in use"):
        listen(f"unix:{path}")
    assert path.read_text() == "of a year"
    path.unlink()


@pytest.mark.parametrize(
    "address", ["", "unix:", "tcp:host", "tcp::4711", "tcp:host:x", "tcp:host:70000", "http:x:1", "udp:x:1"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(InvalidConfig, match="unix:PATH or tcp:HOST:PORT"):
        listen(address)


def test_addresses_that_cannot_be_used_say_why(tmp_path):
    with pytest.raises(InvalidConfig, match="at most 100 bytes"):
        listen(f"unix:/tmp/{'x' * 200}")
    with pytest.raises(InvalidConfig, match="No such file"):
        listen("unix:/tmp/no such folder/a.sock")


def test_nothing_is_left_where_nobody_listens():
    path = short_path()
    for address in (f"unix:{path}", "tcp:127.0.0.1:0"):
        listener = listen(address)
        bound = bound_address(listener)
        stop_listening(listener)
        with pytest.raises(OSError, match=r"refused|No such file"):
            connect(bound, 5)
    assert not path.exists()


def test_a_server_whose_socket_was_removed_ends_in_peace():
    path = short_path()
    listener = listen(f"unix:{path}")
    path.unlink()  # as programs do that tidy /tmp
    stop_listening(listener)
    assert listener.fileno() == -1


def test_a_connection_to_nobody_fails():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        connect(f"tcp:127.0.0.1:{port}", 5)


def test_a_server_that_takes_no_more_connections_is_given_up(tmp_path):
    with socket.socket(socket.AF_UNIX) as full, contextlib.ExitStack() as stack, ThreadPoolExecutor(1) as pool:
        full.bind(str(tmp_path / "full"))
        full.listen(0)

        def knock() -> None:
            for _ in range(3):  # the first ones wait for a server that does not accept
                stack.enter_context(connect(f"unix:{tmp_path}/full", 0.01))

        knocking = pool.submit(knock)
        try:
            assert isinstance(knocking.exception(20), OSError)
        finally:
            full.close()  # ends a wait without a limit, too


def test_the_next_start_removes_sockets_that_killed_servers_left_and_no_others(tmp_path):
    living = listen(f"unix:{tmp_path}/gobang-living-0")
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(f"{tmp_path}/gobang-begun-0")  # about to listen
    for name in ("gobang-killed-0", "foreign-0"):
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(f"{tmp_path}/{name}")
    (tmp_path / "gobang-ray-folder").mkdir()
    (tmp_path / "gobang-notes").touch()
    started = listen(f"unix:{tmp_path}/gobang-started-0")
    assert {path.name for path in tmp_path.iterdir()} == {
        "gobang-living-0", "gobang-begun-0", "gobang-started-0", "foreign-0", "gobang-ray-folder", "gobang-notes",
    }  # fmt: skip
    living.setblocking(False)
    with pytest.raises(BlockingIOError):
        living.accept()  # nobody has knocked
    for each in (living, bound, started):
        each.close()
