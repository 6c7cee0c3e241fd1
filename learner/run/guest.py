"""A run on a Ray cluster as a guest sees it: what its learner tells, mirrored into a folder like that of a run.

    python -m learner.run.guest HOST:PORT FOLDER [--insecure]     prints "ready", or why not; ends with its input

It is a process of its own, because Ray ends the process of a guest whose cluster is gone.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from gobang.disk import write_atomically
from gobang.errors import GobangError, InvalidCheckpoint
from gobang.run_folder import RUNNING, RunFolder, weights_path, weights_versions
from gobang.versions import BEST, LATEST, NO_VERSION
from learner.run.doings import doing
from learner.run.doors import AUTH_MODE, check_listens, check_version, is_open

if TYPE_CHECKING:
    from gobang.network.checkpoint import Checkpoint
    from learner.training.remote import LearnerClient

READY: Final = "ready"
SECONDS: Final = 2.0  # between two looks
_ANSWER_SECONDS: Final = 60.0  # for a cluster
_POLL_SECONDS: Final = 0.05


def join(address: str, *, insecure: bool) -> LearnerClient:
    """The learner that runs in a Ray cluster; ClusterOpen if that lets everybody in, unless `insecure`."""
    if find_spec("ray") is None:  # to be told before the cluster is asked, but not loaded yet
        raise ModuleNotFoundError(name="ray")
    check_version()
    check_listens(address)
    lets_all_in = is_open(address, insecure=insecure, wait_for=_wait_for)
    # Ray reads this when it is imported, and as a guest would not use the token that it keeps for this user.
    os.environ[AUTH_MODE] = "disabled" if lets_all_in else "token"
    from learner.training.remote import find_learner

    return find_learner(address)


def _wait_for(is_done: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _ANSWER_SECONDS
    while not is_done():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


class Mirror:
    """Keeps a folder as new as the learner; the newest and the best weights lie in it, older ones are removed."""

    def __init__(self, learner: LearnerClient, folder: RunFolder) -> None:
        """Make the folder; raises GobangError while the learner has nothing to show."""
        self._learner, self._folder = learner, folder
        self._started = time.monotonic()
        self._first = self._received(*learner.identify(LATEST))[0]
        variant = self._first.variant
        game = {"height": variant.height, "width": variant.width, "k": variant.k, "rule": variant.rule}
        folder.create(yaml.safe_dump({"game": {**game, "players": variant.players}}))
        self.look()

    def look(self) -> None:
        """Take over what is new; a learner that is away is told of in the state."""
        try:
            values = self._learner.report()
            self._take_weights()
        except GobangError as error:
            self._folder.write_summary({**self._folder.read_summary(), "state": str(error)})
            return
        line = {"time": time.time(), "seconds": time.monotonic() - self._started, **values}
        with self._folder.metrics.open("a", encoding="utf-8") as metrics:
            metrics.write(json.dumps(line) + "\n")
        self._folder.write_summary({"state": RUNNING, "values": values})
        self._folder.write_parts([{"name": "learner", "place": self._learner.namespace, "doing": doing(values)}])

    def _take_weights(self) -> None:
        current = {which: self._learner.identify(which) for which in (LATEST, BEST)}
        digests = dict(current.values())
        held = set(weights_versions(self._folder))
        for version in digests.keys() - held - {NO_VERSION}:
            checkpoint, content = self._received(version, digests[version])
            if checkpoint.spec != self._first.spec:
                raise InvalidCheckpoint(f"version {version} has another architecture than the versions before")
            write_atomically(weights_path(self._folder, version), content)
        write_atomically(self._folder.best, json.dumps({"version": current[BEST][0]}).encode())
        for version in held - digests.keys():
            weights_path(self._folder, version).unlink()

    def _received(self, version: int, digest: str) -> tuple[Checkpoint, bytes]:
        """Fetch a version; InvalidCheckpoint unless it arrives as announced."""
        from gobang.network.checkpoint import check_received

        content = self._learner.weights(str(version), NO_VERSION) or b""
        return check_received(content, digest=digest), content


def main(address: str, root: str, *options: str) -> int:
    """Mirror until the input ends."""
    folder = RunFolder(Path(root))
    try:
        learner = join(address, insecure="--insecure" in options)
        with folder.locked():
            mirror = Mirror(learner, folder)
            sys.stdout.write(f"{READY}\n")
            sys.stdout.flush()
            while not select.select([sys.stdin], [], [], SECONDS)[0]:
                mirror.look()
    except GobangError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
