"""Opens the server's door: listens, and leads the user's browser in without showing the token to other users.

A browser gets the address as an argument of its process, and every user of the machine can read arguments. A code that
works once is no remedy: another user can read the code as well, and use it before the browser does. So the argument
holds no secret: it names a file that only this user can read, and the file forwards the browser to the address.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from aiohttp import web

from gobang.errors import GobangError
from gobang.web.guard import WILDCARDS
from gobang.web.server import Server

_SECONDS_TO_LEAVE: Final = 2.0  # for answers that are under way at the end
_PAGE: Final = '<!DOCTYPE html><meta http-equiv="refresh" content="0; url={address}"><a href="{address}">gobang</a>\n'


@dataclass(frozen=True, kw_only=True, slots=True)
class Door:
    """Where a server listens, and what stops it."""

    runner: web.AppRunner
    printed: str  # address for a person, with the token if there is one
    local: str  # the same for a browser on this machine


async def listen(server: Server, host: str, port: int) -> Door:
    """Start to answer; raise GobangError if the port is taken."""
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it would show a traceback for what is no HTTP
    runner = web.AppRunner(server.app, access_log=None, handle_signals=False, shutdown_timeout=_SECONDS_TO_LEAVE)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port, reuse_address=True)
        await site.start()
    except OSError as error:
        await runner.cleanup()
        raise GobangError(
            f"cannot listen at {host}:{port}: {error.strerror or error}; choose another --port"
        ) from error
    end = f":{runner.addresses[0][1]}/" + (f"?token={server.guard.token}" if server.guard.token else "")
    shown = f"[{host}]" if ":" in host else host
    if host not in WILDCARDS:
        return Door(runner=runner, printed=f"http://{shown}{end}", local=f"http://{shown}{end}")
    loopback = "[::1]" if host == "::" else "127.0.0.1"
    return Door(runner=runner, printed=f"http://{socket.gethostname()}{end}", local=f"http://{loopback}{end}")


@contextlib.contextmanager
def forwarder(address: str) -> Iterator[str]:
    """Keep a file that forwards to an address, readable by this user alone; give the file's own address."""
    with tempfile.TemporaryDirectory(prefix="gobang-web-") as folder:  # of mode 0700
        file = Path(folder) / "open.html"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, _PAGE.format(address=escape(address)).encode())
        os.close(descriptor)
        yield file.as_uri()
