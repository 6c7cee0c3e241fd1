"""Frames over a local or a TCP socket, for several questions under way at once.

    header    payload's length, kind, number of the question, positions B, version
    payload   HELLO     JSON: the variant and the model's name       client
              WELCOME   nothing; `version` is that of the model      server
              QUESTION  keys, last moves, sides to move, cells       client
              ANSWER    chances, priors                              server
              REFUSAL   the reason as text; the server hangs up      server

A client says HELLO once, waits for WELCOME, and then may have several questions under way; they are
answered in any order.  Numbers are little-endian.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gobang.errors import GobangError

HELLO: Final = 1
WELCOME: Final = 2
QUESTION: Final = 3
ANSWER: Final = 4
REFUSAL: Final = 5
GONE: Final = 6  # a refusal, too: the version that a client wants will never answer

LONGEST_PAYLOAD: Final = 1 << 26  # bytes: some 30,000 answers on the largest board
_KERNEL_BUFFER: Final = 1 << 20  # bytes that may wait in either direction
_SILENT_SECONDS: Final = 5  # after which a machine is asked whether it still is there
_PROBES: Final = 3  # asked in vain, a second apart, before the connection counts as broken
_OPTIONS: Final = {
    "TCP_NODELAY": 1,
    "TCP_KEEPIDLE": _SILENT_SECONDS,
    "TCP_KEEPINTVL": 1,
    "TCP_KEEPCNT": _PROBES,
    "TCP_USER_TIMEOUT": 1000 * (_SILENT_SECONDS + _PROBES),  # the same for what was sent and is not acknowledged
}
_TCP: Final = {getattr(socket, name): value for name, value in _OPTIONS.items() if hasattr(socket, name)}
_HEADER: Final = struct.Struct("<IBIIi")
_NOT_NOW: Final = (BlockingIOError, InterruptedError)


class TransportError(GobangError):
    """The other side sent what the protocol does not know, or too much of it."""


class PeerClosed(TransportError):
    """The other side is gone, or does not take what is sent to it."""


class Refused(GobangError):
    """The server will not answer this client: another key, another game."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A frame, e.g. `Message(kind=ANSWER, number=7, count=32, version=12, payload=...)`."""

    kind: int
    number: int  # of the question
    count: int  # positions B
    version: int  # of the weights
    payload: NDArray[np.uint8]  # the message's own, aligned for any type


class Channel:
    """One end of a connection.  One thread at a time receives, any may send."""

    def __init__(self, connected: socket.socket) -> None:
        """Take over a connected socket."""
        connected.setblocking(False)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            connected.setsockopt(socket.SOL_SOCKET, option, _KERNEL_BUFFER)
        if connected.family != socket.AF_UNIX:
            for option, value in _TCP.items():
                connected.setsockopt(socket.IPPROTO_TCP, option, value)
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._socket = connected
        self._sending = threading.Lock()
        self._incoming = select.poll()
        self._incoming.register(connected, select.POLLIN)
        self._header = bytearray(_HEADER.size)
        self._fields: tuple[int, int, int, int] | None = None  # of a header whose payload is being read
        self._payload = np.empty(0, np.uint8)
        self._unfilled = memoryview(self._header)  # what the next bytes are read into

    def fileno(self) -> int:
        """The socket's descriptor, or -1 once it is closed."""
        return self._socket.fileno()

    def hang_up(self) -> None:
        """End the conversation, from any thread: whoever receives next gets PeerClosed."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was faster

    def close(self) -> None:
        """Give the socket back; only for the thread that receives."""
        self._socket.close()

    def send(
        self,
        kind: int,
        buffers: Sequence[Any] = (),
        *,
        number: int = 0,
        count: int = 0,
        version: int = 0,
        patience: float,
        read_meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Send a frame; PeerClosed if it is not taken within `patience` seconds.

        Two sides that both only send would wait for each other for ever, so a client passes what
        reads the answers that come in meanwhile.
        """
        length = sum(memoryview(buffer).nbytes for buffer in buffers)
        parts = [_HEADER.pack(length, kind, number, count, version), *buffers]
        deadline = time.monotonic() + patience
        with self._sending:
            sent = self._try(self._socket.sendmsg, parts)
            if sent == _HEADER.size + length:
                return
            rest = memoryview(b"".join(parts))[sent:]
            while rest:
                if not self._wait_for_room(deadline - time.monotonic(), reading=read_meanwhile is not None):
                    raise PeerClosed(f"the other side took nothing for {patience} s")
                if read_meanwhile is not None:
                    read_meanwhile()
                rest = rest[self._try(self._socket.send, rest) :]

    def receive(self, patience: float = 0.0) -> Message | None:
        """The next frame, or None if it is not complete within `patience` seconds."""
        if not patience:
            return self._receive_now()
        deadline = time.monotonic() + patience
        while self._incoming.poll(max(0.0, deadline - time.monotonic()) * 1000):
            message = self._receive_now()
            if message is not None:
                return message
        return None

    def _receive_now(self) -> Message | None:
        while self._fill():
            if self._fields is None:
                self._begin_payload()
                continue
            kind, number, count, version = self._fields
            message = Message(kind=kind, number=number, count=count, version=version, payload=self._payload)
            self._fields, self._unfilled = None, memoryview(self._header)
            return message
        return None

    def _fill(self) -> bool:
        """Read until header or payload is complete; False if there is no more for now."""
        while self._unfilled:
            try:
                received = self._socket.recv_into(self._unfilled)
            except _NOT_NOW:
                return False
            except OSError as error:
                raise PeerClosed(f"the connection broke: {error}") from error
            if not received:
                raise PeerClosed("the other side hung up")
            self._unfilled = self._unfilled[received:]
        return True

    def _begin_payload(self) -> None:
        length, kind, number, count, version = _HEADER.unpack(self._header)
        if length > LONGEST_PAYLOAD or not HELLO <= kind <= GONE:
            raise TransportError(f"a frame of kind {kind} with {length} bytes is not ours; at most {LONGEST_PAYLOAD}")
        self._fields = kind, number, count, version
        self._payload = np.empty(length, np.uint8)
        self._unfilled = self._payload.data

    def _try(self, send: Callable[[Any], int], data: Any) -> int:
        """Number of bytes that could be sent without waiting."""
        try:
            return send(data)
        except _NOT_NOW:
            return 0
        except OSError as error:
            raise PeerClosed(f"the connection broke: {error}") from error

    def _wait_for_room(self, seconds: float, *, reading: bool) -> bool:
        """Wait until something can be sent, or with `reading` received; False if the time is up before."""
        poll = select.poll()
        try:
            poll.register(self._socket, select.POLLOUT | select.POLLIN * reading)
        except ValueError as error:
            raise PeerClosed("the connection is closed") from error
        return bool(poll.poll(max(0.0, seconds) * 1000))
