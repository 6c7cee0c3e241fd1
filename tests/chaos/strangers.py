"""Who has no password, a wrong one, or an old one; and strangers who say anything to every port and socket."""

from __future__ import annotations

import contextlib
import random
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil
from redis import Redis
from redis.exceptions import RedisError

from learner.replay.pool.redis_server import RedisServer
from tests.chaos.case import GOES_ON_SECONDS, Case, hold
from tests.chaos.stage import Stage
from tests.chaos.trial import Trial

SILENT: Final = 8  # connections to each door that say nothing
_PATIENCE_SECONDS: Final = 2.0
_PARTS: Final = (
    "redis-server",
    "InferenceActor",
    "LearnerActor",
    "JudgeActor",
    "SelfPlayActor",
    "raylet",
    "gcs_server",
)


def knock(stage: Stage, number: int) -> float:
    """Wrong and missing passwords, garbage at every door, and a password that is changed under the run."""
    trial, dice = stage.trial(), random.Random(number)
    mark, alive = trial.mark(), pids(trial)
    for password in ("", "wrong", dice.randbytes(20).hex()):
        hold(not is_let_in(trial, password), f"Redis lets in with the password {password!r}")
    with contextlib.ExitStack() as silent:
        for door in doors(trial):
            for _ in range(SILENT):
                with contextlib.suppress(OSError):
                    silent.enter_context(open_door(door))
            for message in (dice.randbytes(5000), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\xff" * 64, b""):
                say(door, message)
        trial.goes_on()
    hold(pids(trial) >= alive, "a part died of strangers")
    hold("Traceback" not in trial.log_since(mark), "a traceback in the log")
    with trial.redis() as redis:
        redis.execute_command("ACL", "SETUSER", "default", "resetpass", ">changed")
    drop_connections(trial)
    return trial.goes_on(2 * GOES_ON_SECONDS)


def is_let_in(trial: Trial, password: str) -> bool:
    """Whether Redis does anything for who says so."""
    url = url_with(trial, password)
    client: Redis[Any] = Redis.from_url(url, protocol=2, socket_timeout=_PATIENCE_SECONDS)
    try:
        with client:
            return bool(client.dbsize() >= 0)
    except RedisError:
        return False


def url_with(trial: Trial, password: str) -> str:
    """Where the run's Redis is, for who knows this password, or none."""
    scheme, _, rest = RedisServer.url_in(trial.folder.redis).partition("://")
    login = f":{password}@" if password else ""
    return f"{scheme}://{login}{rest.rpartition('@')[2]}"


def drop_connections(trial: Trial) -> None:
    """Let every client of Redis log in anew."""
    url = url_with(trial, "changed")
    client: Redis[Any] = Redis.from_url(url, protocol=2, socket_timeout=_PATIENCE_SECONDS)
    with client, contextlib.suppress(RedisError):
        client.client_kill_filter(_type="normal", skipme=True)


def doors(trial: Trial) -> list[object]:
    """Every address at which others find a process of the run: ports, and sockets in a folder that is open to them."""
    found: set[object] = set()
    for process in trial.launched.living():
        with contextlib.suppress(psutil.Error):
            found |= {tuple(held.laddr) for held in process.net_connections("tcp") if held.status == psutil.CONN_LISTEN}
            found |= {held.laddr for held in process.net_connections("unix") if is_open_to_all(str(held.laddr))}
    hold(found, "the run listens nowhere")
    return sorted(found, key=str)


def is_open_to_all(path: str) -> bool:
    """Whether others get as far as this socket, who may then be refused; Ray's own lie in a folder of the user's."""
    return path.startswith("/") and all(folder.stat().st_mode & 0o1 for folder in Path(path).parents)


@contextlib.contextmanager
def open_door(door: object) -> Iterator[socket.socket]:
    """Connected to it."""
    family = socket.AF_UNIX if isinstance(door, str) else socket.AF_INET
    with socket.socket(family) as stranger:
        stranger.settimeout(_PATIENCE_SECONDS)
        stranger.connect(door)  # type: ignore[arg-type]
        yield stranger


def say(door: object, message: bytes) -> None:
    """Something, without listening long to the answer."""
    with contextlib.suppress(OSError), open_door(door) as stranger:
        stranger.sendall(message)
        stranger.shutdown(socket.SHUT_WR)
        stranger.recv(1000)


def pids(trial: Trial) -> set[int]:
    """Processes of the run's own parts."""
    found = set()
    for process in trial.launched.living():
        with contextlib.suppress(psutil.Error):
            if re.search("|".join(_PARTS), " ".join(process.cmdline())):
                found.add(process.pid)
    return found


CASES: Final = (
    Case(
        number=18,
        name="wrong and changed passwords, strangers at every door",
        passes="nobody gets in, no part dies, all goes on within 30 s; after a changed password within 60 s",
        strike=knock,
    ),
)
