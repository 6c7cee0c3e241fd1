"""Authentication: both sides of a new connection prove that they know the key, without sending it.

server -> client   greeting, the server's nonce
client -> server   the client's nonce, HMAC-SHA256(key, "client" + both nonces)
server -> client   HMAC-SHA256(key, "server" + both nonces), or zeros if the client's was wrong
"""

from __future__ import annotations

import hmac
import secrets
import socket
from typing import Final

from actors.wire.transport import PeerClosed, Refused, TransportError

_GREETING: Final = b"gobang inference 1\n"  # its number changes with the protocol
_NONCE: Final = 32  # bytes
_DIGEST: Final = 32
_NO_DIGEST: Final = bytes(_DIGEST)


def accept_client(connected: socket.socket, key: bytes, patience: float) -> None:
    """The server's side: raise Refused for a wrong key, PeerClosed for silence."""
    connected.settimeout(patience)
    ours = secrets.token_bytes(_NONCE)
    _send(connected, _GREETING + ours)
    answer = _receive(connected, _NONCE + _DIGEST)
    nonces = ours + answer[:_NONCE]
    if not hmac.compare_digest(answer[_NONCE:], _digest(key, b"client", nonces)):
        _send(connected, _NO_DIGEST)
        raise Refused("a client knew another key")
    _send(connected, _digest(key, b"server", nonces))


def greet_server(connected: socket.socket, key: bytes, patience: float) -> None:
    """The client's side: raise Refused for a wrong key, PeerClosed for silence."""
    connected.settimeout(patience)
    greeting = _receive(connected, len(_GREETING) + _NONCE)
    if not greeting.startswith(_GREETING):
        raise TransportError(
            f"{greeting[: len(_GREETING)]!r} is not the greeting of an inference server of this version"
        )
    ours = secrets.token_bytes(_NONCE)
    nonces = greeting[len(_GREETING) :] + ours
    _send(connected, ours + _digest(key, b"client", nonces))
    answer = _receive(connected, _DIGEST)
    if answer == _NO_DIGEST:
        raise Refused("the inference server knows another key")
    if not hmac.compare_digest(answer, _digest(key, b"server", nonces)):
        raise Refused("what answers is not our inference server: it does not know the key")


def _digest(key: bytes, side: bytes, nonces: bytes) -> bytes:
    return hmac.digest(key, side + nonces, "sha256")


def _send(connected: socket.socket, data: bytes) -> None:
    try:
        connected.sendall(data)
    except OSError as error:
        raise PeerClosed(f"the connection broke: {error}") from error


def _receive(connected: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        try:
            received = connected.recv(length - len(data))
        except OSError as error:
            raise PeerClosed(f"the connection broke: {error}") from error
        if not received:
            raise PeerClosed("the other side hung up before it had proved its key")
        data += received
    return data
