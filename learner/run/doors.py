"""Whom a Ray cluster lets in: asked in a process of its own, before this one joins.

Ray itself would try for two minutes, heed no signal and then end its process.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Final

from gobang.children import tied
from gobang.errors import GobangError

AUTH_MODE: Final = "RAY_AUTH_MODE"
OLDEST_RAY: Final = (2, 52)  # the first version that can ask for a token; pyproject.toml requires the same
_LOOPBACK: Final = ("127.0.0.1", "localhost")
_CLUSTERS: Final = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # 0: look for this machine at the loopback address
_CONNECT_SECONDS: Final = 5.0
_JOIN: Final = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False, logging_level='CRITICAL')"
_REFUSED: Final = 75  # exit code
_ASK_WITHOUT_TOKEN: Final = f"""
import sys
from ray._private.services import canonicalize_bootstrap_address_or_die
from ray._raylet import GcsClient
from ray.exceptions import AuthenticationError
try:
    GcsClient(address=canonicalize_bootstrap_address_or_die(sys.argv[1])).internal_kv_get(b"session_name", b"session")
except AuthenticationError:
    sys.exit({_REFUSED})
"""

WaitFor = Callable[[Callable[[], bool]], bool]  # whether a condition comes true before the patience ends


class ClusterUnavailable(GobangError):
    """There is no Ray cluster at the address, or none could be started."""


class ClusterOpen(GobangError):
    """The cluster lets everybody in."""


def check_version() -> None:
    """Raise ClusterUnavailable if the installed Ray is too old to ask for a token."""
    installed = version("ray")
    if tuple(map(int, re.findall(r"\d+", installed)[:2])) < OLDEST_RAY:
        least = ".".join(map(str, OLDEST_RAY))
        raise ClusterUnavailable(
            f"Ray {installed} cannot ask for a token and would run code for everybody who reaches it. "
            f"Update it on all nodes: pip install 'ray[default]>={least}'"
        )


def is_open(address: str, *, insecure: bool, wait_for: WaitFor) -> bool:
    """Whether a cluster accepts clients without a token, asked without one; ClusterOpen unless that is accepted.

    A cluster that lets everybody in would not say so to who has a token.
    """
    here = {_CLUSTERS: "0"} if address.rpartition(":")[0] in _LOOPBACK else {}
    code, said = _try(_ASK_WITHOUT_TOKEN, address, wait_for, {**os.environ, **here, AUTH_MODE: "disabled"})
    if code not in (0, _REFUSED):
        raise ClusterUnavailable(f"no Ray cluster at {address!r}: {last_reason(said)}")
    if code == 0 and not insecure:
        raise ClusterOpen(
            f"the Ray cluster at {address!r} asks for no token: whoever reaches it can run code as its user. "
            "Start it with RAY_AUTH_MODE=token on all nodes, or accept that with --insecure"
        )
    return code == 0


def check_listens(address: str) -> None:
    """ClusterUnavailable, without any wait, if nobody listens at HOST:PORT."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError, ValueError) as error:
        raise ClusterUnavailable(f"no Ray cluster at {address!r}: {error}") from error


def check_joins(address: str, wait_for: WaitFor) -> None:
    """ClusterUnavailable, with Ray's reason, if this user cannot join."""
    code, said = _try(_JOIN, address, wait_for, os.environ)
    if code:
        raise ClusterUnavailable(f"no Ray cluster at {address!r}: {last_reason(said)}")


def last_reason(said: str) -> str:
    """The last line, without the name of the exception."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].partition("Error: ")[2] or lines[-1] if lines else "it gave no reason"


def _try(program: str, address: str, wait_for: WaitFor, environment: Mapping[str, str]) -> tuple[int, str]:
    """Exit code and errors of a program that asks the cluster; ClusterUnavailable if it takes too long."""
    command = [sys.executable, "-c", program, address]
    with subprocess.Popen(
        tied(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as trying:
        try:
            if not wait_for(lambda: trying.poll() is not None):
                raise ClusterUnavailable(f"no Ray cluster at {address!r}: it does not answer in time")
        finally:
            trying.kill()
        said = trying.communicate()[1]
    return trying.returncode, said
