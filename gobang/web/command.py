"""`gobang web`: open the page, and answer it until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
import webbrowser

from gobang.interfaces import WatchedRun
from gobang.web.door import forwarder, listen
from gobang.web.server import Server


def serve(arguments: argparse.Namespace, run: WatchedRun | None) -> int:
    """Serve the page that the arguments describe; `run` is what it can watch."""
    asyncio.run(_serve(arguments, run))
    return 0


async def _serve(arguments: argparse.Namespace, run: WatchedRun | None) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    server = Server(arguments.host, run, arguments.allow_host)
    door = await listen(server, arguments.host, arguments.port)
    sys.stdout.write(f"gobang is at {door.printed} (Ctrl-C ends it)\n")
    sys.stdout.flush()
    with contextlib.ExitStack() as kept:
        try:
            if arguments.browser:
                opened = kept.enter_context(forwarder(door.local)) if server.guard.token else door.local
                with contextlib.suppress(webbrowser.Error):
                    await asyncio.to_thread(webbrowser.open, opened)
            await ended.wait()
        finally:
            await door.runner.cleanup()
