"""All that the processes of a run listen on stands in the table of docs/security.md."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.docs.pages import ROOT, text

ACCEPTS_CONNECTIONS = 0x10000  # a flag in /proc/net/unix
PROGRAMS = ("gcs_server", "raylet", "redis-server")
Listener = tuple[str, str, str]  # process, kind of socket, host


def listeners_in_the_table(column: str) -> set[Listener]:
    """Those of docs/security.md in the column of a kind of run."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text(ROOT / "docs/security.md").splitlines()]
    heads = next(row for row in rows if row[:2] == ["process", "socket"])
    return {
        (process, row[1], row[heads.index(column)])
        for row in rows
        if len(row) == len(heads) and row[1] in ("TCP", "file")
        for process in re.findall(r"`([^`]+)`", row[0])
    }


def listeners(processes: list[psutil.Process]) -> set[Listener]:
    """What is open now, on every interface."""
    local = set(sockets_that_accept())
    found = set()
    for process in processes:
        name = name_of(process)
        for held in process.net_connections("inet"):
            is_open = held.status == psutil.CONN_LISTEN or (held.type.name == "SOCK_DGRAM" and not held.raddr)
            kind = "TCP" if held.type.name == "SOCK_STREAM" else "UDP"
            found |= {(name, kind, held.laddr.ip.removeprefix("::ffff:"))} if is_open else set()
        found |= {(name, "file", "file")} if local & set(sockets_of(process)) else set()
    return found


def sockets_that_accept() -> Iterator[str]:
    """Inodes of all local sockets on which somebody listens."""
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        words = line.split()
        if int(words[3], 16) & ACCEPTS_CONNECTIONS:
            yield words[6]


def sockets_of(process: psutil.Process) -> Iterator[str]:
    """Inodes of the sockets that a process holds."""
    for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
        found = re.fullmatch(r"socket:\[(\d+)\]", str(descriptor.readlink()))
        if found:
            yield found[1]


def name_of(process: psutil.Process) -> str:
    """As the table calls it."""
    command = " ".join(process.cmdline())
    if "learner.launch" in command:
        return "launcher"
    found = re.match(r"ray::\w+|\S+", command)[0].rpartition("/")[2]
    is_of_dashboard = "dashboard" in command and found not in PROGRAMS and not found.startswith("ray::")
    return "dashboard" if is_of_dashboard else found


def living(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [process for process in processes if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.heavy
def test_a_run_listens_on_what_the_table_says(tmp_path, launch):
    launched = launch(tmp_path / "run", "--preset", "tiny", "--minutes", "30", "--set", "dashboard=true")
    launched.wait_for(lambda values: values["version"] >= 1 and values["clients"] >= 2, seconds=600)
    found, table = listeners(living(launched.living())), listeners_in_the_table("on one machine")
    assert found - table == set()
    optional = {"gobang web", "ray::IDLE"}
    assert {row for row in table - found if row[0] not in optional} == set()
    assert launched.end(signal.SIGTERM) == 0
