"""Turns this process into a redis-server that holds a lock: `redis_exec.py LOCK COMMAND...`.

Run as a program, because none of this may happen between fork and exec in a process with threads.
It takes the lock on the file LOCK, writes its process id there and becomes the command.  The lock is
a record lock: it outlives exec, and children that the server forks do not have it, so it is held
exactly as long as the server lives.  The server ignores SIGTERM and SIGHUP, which come to all
processes of a run at once: the launcher ends it last.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys

LOCKED = 75  # exit code: another server holds the lock


def main(lock: str, *command: str) -> int:
    """Take the lock and become the command; returns only if that is not possible."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGHUP))
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return LOCKED
    os.ftruncate(descriptor, 0)
    os.write(descriptor, str(os.getpid()).encode())
    os.set_inheritable(descriptor, True)
    return os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
