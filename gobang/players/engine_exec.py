"""Turns this process into an engine that ends with the process that asked for it: `engine_exec.py PARENT COMMAND...`.

Run as a program, because what it asks of the kernel must not happen between fork and exec in a process
with threads.  On Linux the kernel kills the engine when its parent dies, whatever the engine does about signals
and the end of its input.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
NO_PROGRAM = 126  # exit code


def main(parent: str, *command: str) -> int:
    """Become the command; returns only if that is not possible."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        return 1  # it died before the kernel was asked
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} does not start: {error.strerror}\n")
        return NO_PROGRAM


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
