import socket
import time
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


def test_a_server_that_sends_the_clients_own_proof_back_is_refused():
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(1) as pool:
        client = pool.submit(greet_server, theirs, b"key", 20)
        ours.sendall(b"gobang inference 1\n" + bytes(32))
        proof = ours.recv(64, socket.MSG_WAITALL)[32:]
        ours.sendall(proof)
        assert isinstance(client.exception(20), Refused)
        assert "does not know the key" in str(client.exception())


def test_a_client_that_sends_the_servers_nonce_back_proves_nothing():
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(1) as pool:
        server = pool.submit(accept_client, ours, b"key", 20)
        nonce = theirs.recv(len(b"gobang inference 1\n") + 32, socket.MSG_WAITALL)[-32:]
        theirs.sendall(nonce + nonce)
        assert isinstance(server.exception(20), Refused)


class Slow:
    """A socket whose peer sends one byte every three seconds, by a clock of its own."""

    def __init__(self):
        self.now, self.received, self.timeouts = 1000.0, 0, []

    def settimeout(self, seconds):
        self.timeouts.append(seconds)

    def sendall(self, data):
        pass

    def recv(self, length):
        self.now += min(3.0, self.timeouts[-1])
        if self.timeouts[-1] <= 3.0:
            raise TimeoutError("timed out")
        self.received += 1
        return b"g"


@pytest.mark.parametrize("side", [accept_client, greet_server])
def test_a_side_that_sends_a_byte_now_and_then_is_given_up_at_the_deadline(monkeypatch, side):
    slow = Slow()
    monkeypatch.setattr(time, "monotonic", lambda: slow.now)
    with pytest.raises(PeerClosed):
        side(slow, b"key", 10.0)
    assert (slow.now, slow.received) == (1010.0, 3)
    assert slow.timeouts == sorted(slow.timeouts, reverse=True)


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
