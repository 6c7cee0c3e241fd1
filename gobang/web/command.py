"""`gobang web`: open the page, and answer it until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
import webbrowser

from gobang.interfaces import WatchedRun
from gobang.web.server import Server, listen


def serve(arguments: argparse.Namespace, run: WatchedRun | None) -> int:
    """Serve the page that the arguments describe; `run` is what it can watch."""
    asyncio.run(_serve(arguments, run))
    return 0


async def _serve(arguments: argparse.Namespace, run: WatchedRun | None) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    runner, address = await listen(Server(arguments.host, run), arguments.host, arguments.port)
    sys.stdout.write(f"gobang is at {address} (Ctrl-C ends it)\n")
    sys.stdout.flush()
    if arguments.browser:
        with contextlib.suppress(webbrowser.Error):
            await asyncio.to_thread(webbrowser.open, address)
    try:
        await ended.wait()
    finally:
        await runner.cleanup()
