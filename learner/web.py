"""`gobang web`: the page, and the run that it watches if one is named."""

from __future__ import annotations

import argparse

from gobang.interfaces import WatchedRun


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from gobang.web.command import serve  # needs the extra `web`

    return serve(arguments, _watched(arguments))


def _watched(arguments: argparse.Namespace) -> WatchedRun | None:
    if arguments.run is None:
        return None
    from learner.run.viewing import RunOnDisk

    return RunOnDisk(arguments.run)
