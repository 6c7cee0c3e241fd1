"""Addresses of inference servers, such as `unix:/run/gobang/node.sock` or `tcp:10.0.0.7:4711`."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import Final

from gobang.errors import InvalidConfig

_LONGEST_PATH: Final = 100  # bytes of a socket's path; the systems' limits begin at 104
_BACKLOG: Final = 128


def connect(address: str, patience: float) -> socket.socket:
    """A socket connected to an address; OSError if nobody listens there."""
    family, place = _parse(address)
    connected = socket.socket(family, socket.SOCK_STREAM)
    try:
        connected.settimeout(patience)
        connected.connect(place)
    except OSError:
        connected.close()
        raise
    return connected


def listen(address: str) -> socket.socket:
    """A socket that listens at an address, in the place of one that a killed server left."""
    family, place = _parse(address)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if isinstance(place, str):
            with contextlib.suppress(FileNotFoundError):
                Path(place).unlink()
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InvalidConfig(f"address {address!r}: {error.strerror or error}") from error
    return listener


def stop_listening(listener: socket.socket) -> None:
    """Close a listener, and remove what a local one has put into the file system."""
    place = listener.getsockname() if listener.family == socket.AF_UNIX else ""
    listener.close()
    if place:
        Path(place).unlink(missing_ok=True)


def bound_address(listener: socket.socket) -> str:
    """The address of a listener, with the port that the system chose for port 0."""
    if listener.family == socket.AF_UNIX:
        return f"unix:{listener.getsockname()}"
    host, port = listener.getsockname()[:2]
    return f"tcp:{host}:{port}"


def _parse(address: str) -> tuple[int, str | tuple[str, int]]:
    scheme, _, place = address.partition(":")
    host, _, port = place.rpartition(":")
    if scheme == "unix" and place:
        if len(os.fsencode(place)) > _LONGEST_PATH:
            raise InvalidConfig(f"address {address!r}: a socket's path has at most {_LONGEST_PATH} bytes")
        return socket.AF_UNIX, place
    if scheme == "tcp" and host and port.isdecimal() and int(port) < 1 << 16:
        return socket.AF_INET, (host, int(port))
    raise InvalidConfig(f"address {address!r}: unix:PATH or tcp:HOST:PORT")
