"""`gobang web`: the page, and the run that it watches if one is named."""

from __future__ import annotations

import argparse

from gobang.errors import GobangError
from gobang.interfaces import WatchedRun


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    try:
        from gobang.web.command import serve
    except ModuleNotFoundError as error:
        raise GobangError(f"the page needs {error.name}: pip install 'gobang[web]'") from error
    return serve(arguments, _watched(arguments))


def _watched(arguments: argparse.Namespace) -> WatchedRun | None:
    if arguments.run is None:
        return None
    from learner.run.viewing import RunOnDisk

    return RunOnDisk(arguments.run)
