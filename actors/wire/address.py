"""Addresses of inference servers, such as `unix:/run/gobang/node.sock` or `tcp:10.0.0.7:4711`."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from pathlib import Path
from typing import Final

from gobang.errors import InvalidConfig
from gobang.numbers import read_whole

PREFIX: Final = "gobang-"  # of the names of sockets in a folder for all
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
            _remove_abandoned(Path(place).parent)
            with contextlib.suppress(FileNotFoundError):
                _remove_socket(Path(place))
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
        with contextlib.suppress(FileNotFoundError):
            _remove_socket(Path(place))


def bound_address(listener: socket.socket) -> str:
    """The address of a listener, with the port that the system chose for port 0."""
    if listener.family == socket.AF_UNIX:
        return f"unix:{listener.getsockname()}"
    host, port = listener.getsockname()[:2]
    return f"tcp:{host}:{port}"


def _remove_socket(path: Path) -> None:
    """Remove a socket; leave any other file, so that binding to its path fails."""
    if stat.S_ISSOCK(path.lstat().st_mode):
        path.unlink()


def _remove_abandoned(folder: Path) -> None:
    """Remove this user's sockets that killed servers left."""
    for path in folder.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            if stat.S_ISSOCK(status.st_mode) and status.st_uid == os.getuid() and _is_abandoned(path):
                path.unlink()


def _is_abandoned(path: Path) -> bool:
    """Whether no process holds a socket; one that does hears nothing of this, as it is of another type."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False


def _parse(address: str) -> tuple[int, str | tuple[str, int]]:
    scheme, _, place = address.partition(":")
    host, _, port = place.rpartition(":")
    if scheme == "unix" and place:
        if len(os.fsencode(place)) > _LONGEST_PATH:
            raise InvalidConfig(f"address {address!r}: a socket's path has at most {_LONGEST_PATH} bytes")
        return socket.AF_UNIX, place
    number = read_whole(port, 0, (1 << 16) - 1)
    if scheme == "tcp" and host and number is not None:
        return socket.AF_INET, (host, number)
    raise InvalidConfig(f"address {address!r}: unix:PATH or tcp:HOST:PORT")
