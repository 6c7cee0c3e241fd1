import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from actors.wire.authentication import accept_client, greet_server
from actors.wire.transport import PeerClosed, Refused, TransportError


def meet(server_key: bytes, client_key: bytes) -> tuple[BaseException | None, BaseException | None]:
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(2) as pool:
        server = pool.submit(accept_client, ours, server_key, 20)
        client = pool.submit(greet_server, theirs, client_key, 20)
        return server.exception(20), client.exception(20)


def test_the_same_key_lets_both_pass():
    assert meet(b"key", b"key") == (None, None)


def test_another_key_is_refused_and_both_know_why():
    server, client = meet(b"key", b"yek")
    assert isinstance(server, Refused)
    assert isinstance(client, Refused)
    assert "another key" in str(client)


def test_a_server_without_the_key_is_not_trusted():
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(1) as pool:
        client = pool.submit(greet_server, theirs, b"key", 20)
        ours.sendall(b"gobang inference 1\n" + bytes(32))
        ours.recv(64, socket.MSG_WAITALL)
        ours.sendall(b"x" * 32)
        assert "does not know the key" in str(client.exception(20))


def test_another_program_is_not_taken_for_a_server():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n")
        with pytest.raises(TransportError, match="greeting"):
            greet_server(theirs, b"key", 20)


@pytest.mark.parametrize("close", [True, False])
def test_a_client_that_leaves_or_says_nothing_is_given_up(close):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        if close:
            theirs.close()
        with pytest.raises(PeerClosed):
            accept_client(ours, b"key", 0.01)
