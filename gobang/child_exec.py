"""Turns this process into a command that ends with its parent: `child_exec.py SIGNAL PARENT kernel|guard COMMAND...`.

Run as a program, because nothing of this may happen between fork and exec in a process with threads, and with
`python -I`, since its folder has a module `types`.  With `kernel`, Linux sends the signal when the parent dies,
whatever the command does.  With `guard`, for other systems, a second process asks every second who still lives.
`gobang.children` makes these command lines.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time

KERNEL = "kernel"
GUARD = "guard"
NO_PROGRAM = 126  # exit code
_PR_SET_PDEATHSIG = 1
_GUARD_SECONDS = 1.0  # between two looks
_MOST_DESCRIPTORS = 4096


def ask_kernel(number: int, parent: int) -> bool:
    """Let Linux send a signal to this process when its parent dies; return False if the parent is dead already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    return os.getppid() == parent


def start_guard(number: int, parent: int) -> bool:
    """Fork a process that sends this one a signal when its parent dies; return False if the parent is dead already."""
    own = os.getpid()
    if os.fork() == 0:
        os.closerange(0, _MOST_DESCRIPTORS)  # nobody waits for the end of a pipe because of the guard
        _guard(own, number, parent)
        os._exit(0)
    return os.getppid() == parent


def _guard(guarded: int, number: int, parent: int) -> None:
    while os.getppid() == guarded:
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            os.kill(guarded, number)
            return
        except PermissionError:
            pass  # it lives, as another user
        time.sleep(_GUARD_SECONDS)


def main(signal_name: str, parent: str, how: str, *command: str) -> int:
    """Become the command; returns only if that is not possible."""
    bind = ask_kernel if how == KERNEL else start_guard
    if not bind(signal.Signals[signal_name], int(parent)):
        return 1
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} does not start: {error.strerror}\n")
        return NO_PROGRAM


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
