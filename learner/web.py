"""`gobang web`: the page, and the run that it watches if one is named."""

from __future__ import annotations

import argparse

from gobang.errors import InvalidConfig
from gobang.interfaces import WatchedRun
from gobang.packages import named


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    watched = _watched(arguments)
    from gobang.web.command import serve  # needs the extra `web`

    return serve(arguments, watched)


def _watched(arguments: argparse.Namespace) -> WatchedRun | None:
    """Return the run that the options name; raise NotInstalled with all extras that watching a run needs."""
    try:
        return _run_of(arguments)
    except ModuleNotFoundError as error:
        raise named(error, "web,actor") or error from None


def _run_of(arguments: argparse.Namespace) -> WatchedRun | None:
    if arguments.insecure and arguments.address is None:
        raise InvalidConfig("--insecure: of which cluster? It goes with --address")
    if arguments.run is not None:
        from learner.run.viewing import RunOnDisk

        return RunOnDisk(arguments.run)
    if arguments.address is not None:
        from learner.run.viewing import RunOnCluster

        return RunOnCluster(arguments.address, insecure=arguments.insecure)
    return None
