"""Who else is on the machine: another user, a second launcher, a node that comes and goes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.chaos.case import PATIENCE, SILENT_SECONDS, Case, hold
from tests.chaos.network import who_joins, without_token
from tests.chaos.stage import Stage
from tests.chaos.strangers import doors
from tests.chaos.trial import Trial
from tests.integration.launched import ROOT
from tests.integration.nodes import RayCluster

VISITS: Final = 2  # of a node
SECRETS: Final = ("redis/password", "redis/redis.conf", "redis/appendonly.aof", "redis/redis.log")
_SECONDS: Final = 60.0 * PATIENCE
_TRY: Final = """
import os, socket, sys
os.setgroups([])
os.setgid({nobody})
os.setuid({nobody})
for name in sys.argv[1:]:
    kind, _, path = name.partition(":")
    try:
        if kind == "socket":
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.connect(path)
        else:
            open(path, "a" if kind == "write" else "r").close()
    except OSError:
        continue
    print(name)
""".replace("{nobody}", "65534")


def live_beside(stage: Stage, number: int) -> float:
    """Another user tries all doors, a second launcher the folder; then a node joins and leaves a run."""
    stage.place.chmod(0o755)  # what follows does not count on the folder above
    trial = stage.trial()
    hold(not reached(trial), f"another user reaches {reached(trial)}")
    code, said = launch_again(trial)
    hold(code == 2 and "is in use by process" in said, f"a second launcher: status {code}, {said[-500:]}")
    trial.goes_on()
    return welcome_nodes(stage)


def reached(trial: Trial) -> list[str]:
    """What another user can read, write or connect to, on the way that leads there."""
    paths = [*secrets_of(trial)]
    wanted = [f"read:{path}" for path in paths] + [f"write:{path}" for path in paths]
    wanted += [f"write:{trial.folder.config}", f"write:{trial.folder.best}", f"write:{trial.folder.weights}/x"]
    wanted += [f"socket:{door}" for door in doors(trial) if isinstance(door, str)]
    done = subprocess.run(
        [sys.executable, "-c", _TRY, *wanted],
        capture_output=True,
        text=True,
        check=True,
        timeout=_SECONDS,
        cwd="/",
    )
    return done.stdout.split()


def secrets_of(trial: Trial) -> Iterator[Path]:
    """Files with a password, a token or games in them."""
    yield from (path for name in SECRETS if (path := trial.folder.root / name).exists())
    token = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
    if token.exists():
        yield token
    session = Path(trial.folder.read_address().get("session", ""))
    yield from [path for path in session.rglob("*") if path.is_file()][:200]


def launch_again(trial: Trial) -> tuple[int, str]:
    """What a second launcher on the same folder says."""
    command = [sys.executable, "-m", "learner.launch", "--run", str(trial.folder.root), "--resume"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    return done.returncode, done.stdout + done.stderr


def welcome_nodes(stage: Stage) -> float:
    """A run of two actors on a cluster of one CPU: the second plays while there is another node."""
    cluster = stage.kept(two_nodes)
    trial, slowest = stage.trial("--address", "auto", "--insecure", environment=who_joins(cluster)), 0.0
    for _ in range(VISITS):
        mark = trial.mark()
        cluster.nodes[-1].kill()
        trial.tells(mark, "is gone, and with it", SILENT_SECONDS)
        slowest = max(slowest, trial.goes_on(SILENT_SECONDS))
        mark = trial.mark()
        with without_token():
            cluster.add("--num-cpus=1")
        trial.tells(mark, "has joined", SILENT_SECONDS)
        trial.goes_on(SILENT_SECONDS)
    return slowest


def two_nodes(stage: Stage) -> RayCluster:
    """A cluster of two nodes with a CPU each, on this machine."""
    with without_token():
        cluster = RayCluster("--num-cpus=1")
        stage.cleanup.callback(cluster.kill)
        cluster.add("--num-cpus=1")
    return cluster


CASES: Final = (
    Case(
        number=20,
        name="another user, a second launcher, a node that comes and goes",
        passes="nobody reads, writes or connects; the second is refused; the run goes on within 60 s of each",
        strike=live_beside,
        needs_root=True,
        release=5,
    ),
)
