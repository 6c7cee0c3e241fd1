"""Runs a command as root in namespaces of its own: a network with nothing in it, own mounts, own processes.

usage: python -m tests.machines.private COMMAND...

What the command starts ends with it, and it can neither see nor end a Ray, or anything else, that was there before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

# How to get each program on Debian and Ubuntu.
PACKAGES = {
    "unshare": "util-linux",
    "mount": "mount",
    "ip": "iproute2",
    "ssh": "openssh-client",
    "sshd": "openssh-server",
    "rsync": "rsync",
}
NAMESPACES = ("--net", "--mount", "--pid", "--uts", "--fork", "--mount-proc", "--kill-child")


def missing() -> str:
    """What this machine lacks, in a line; empty if nothing is missing."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "namespaces need root on Linux"
    absent = [program for program in PACKAGES if not find(program)]
    packages = " ".join(dict.fromkeys(PACKAGES[program] for program in absent))
    return f"there is no {', '.join(absent)}: apt install {packages}" if absent else ""


def find(program: str) -> str:
    """The path of a program of the system, also where the PATH has none of root's; empty if there is none."""
    return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or ""


def main(command: Sequence[str]) -> int:
    lacking = missing()
    if lacking:
        print(f"error: {lacking}", file=sys.stderr)
        return 1
    return subprocess.run([find("unshare"), *NAMESPACES, *command]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
