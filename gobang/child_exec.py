"""Turns this process into a command that ends with the process that asked: `child_exec.py SIGNAL PARENT COMMAND...`.

Run as a program, because what it asks of the kernel must not happen between fork and exec in a process with
threads, and with `python -I`, since its folder has a module `types`.  On Linux the kernel sends the signal, such
as SIGKILL, when the parent dies, whatever the command does about the end of its input.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
NO_PROGRAM = 126  # exit code


def main(signal_name: str, parent: str, *command: str) -> int:
    """Become the command; returns only if that is not possible."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.Signals[signal_name])
    if os.getppid() != int(parent):
        return 1  # it died before the kernel was asked
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} does not start: {error.strerror}\n")
        return NO_PROGRAM


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
