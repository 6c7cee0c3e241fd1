"""Authentication: both sides of a new connection prove that they know the key, without sending it.

server -> client   greeting, the server's nonce
client -> server   the client's nonce, HMAC-SHA256(key, "client" + both nonces)
server -> client   HMAC-SHA256(key, "server" + both nonces), or zeros if the client's was wrong

The digest names its side: else a false server could pass by sending the client's own proof back.
One deadline holds for the whole exchange: else a byte now and then would keep a connection open for ever.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import time
from typing import Final

from actors.wire.transport import PeerClosed, Refused, TransportError

_GREETING: Final = b"gobang inference 1\n"  # its number changes with the protocol
_NONCE: Final = 32  # bytes
_DIGEST: Final = 32
_NO_DIGEST: Final = bytes(_DIGEST)


def accept_client(connected: socket.socket, key: bytes, patience: float) -> None:
    """Prove the key to a client and check its proof, within `patience` seconds in all.

    Raise Refused for a wrong key, PeerClosed if the time is up or the client is gone.
    """
    deadline = time.monotonic() + patience
    ours = secrets.token_bytes(_NONCE)
    _send(connected, _GREETING + ours, deadline)
    answer = _receive(connected, _NONCE + _DIGEST, deadline)
    nonces = ours + answer[:_NONCE]
    if not hmac.compare_digest(answer[_NONCE:], _digest(key, b"client", nonces)):
        _send(connected, _NO_DIGEST, deadline)
        raise Refused("a client knew another key")
    _send(connected, _digest(key, b"server", nonces), deadline)


def greet_server(connected: socket.socket, key: bytes, patience: float) -> None:
    """Prove the key to a server and check its proof, within `patience` seconds in all.

    Raise Refused for a wrong key, PeerClosed if the time is up or the server is gone.
    """
    deadline = time.monotonic() + patience
    greeting = _receive(connected, len(_GREETING) + _NONCE, deadline)
    if not greeting.startswith(_GREETING):
        raise TransportError(
            f"{greeting[: len(_GREETING)]!r} is not the greeting of an inference server of this version"
        )
    ours = secrets.token_bytes(_NONCE)
    nonces = greeting[len(_GREETING) :] + ours
    _send(connected, ours + _digest(key, b"client", nonces), deadline)
    answer = _receive(connected, _DIGEST, deadline)
    if answer == _NO_DIGEST:
        raise Refused("the inference server knows another key")
    if not hmac.compare_digest(answer, _digest(key, b"server", nonces)):
        raise Refused("what answers is not our inference server: it does not know the key")


def _digest(key: bytes, side: bytes, nonces: bytes) -> bytes:
    return hmac.digest(key, side + nonces, "sha256")


def _send(connected: socket.socket, data: bytes, deadline: float) -> None:
    connected.settimeout(_seconds_left(deadline))
    try:
        connected.sendall(data)
    except OSError as error:
        raise PeerClosed(f"the connection broke: {error}") from error


def _receive(connected: socket.socket, length: int, deadline: float) -> bytes:
    data = b""
    while len(data) < length:
        connected.settimeout(_seconds_left(deadline))
        try:
            received = connected.recv(length - len(data))
        except OSError as error:
            raise PeerClosed(f"the connection broke: {error}") from error
        if not received:
            raise PeerClosed("the other side hung up before it had proved its key")
        data += received
    return data


def _seconds_left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise PeerClosed("the other side did not prove its key in time")
    return left
