"""Processes that this process starts: all of them end with it, whatever ends it.

    run(tied([program, "--version"]), ...)                                       # subprocess.run
    process = from_lasting_thread(partial(Popen, tied(words), stdin=PIPE))       # a child that stays for a while
    with PROCESSES.Pool(2) as pool:                                              # Python functions in processes

Every call that starts a process uses one of these; `.ci/structure.py` holds the tree to it.  On Linux the kernel
ends a child when the *thread* that started it ends, so a child that outlives a call is started by a thread that stays.
On other systems a guard beside each child, or a thread within it, watches the parent.  Windows has none of this.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Final, Literal, TypeVar

from gobang import child_exec

_Started = TypeVar("_Started")

_STARTER: Final = ThreadPoolExecutor(1, thread_name_prefix="child-starter")
_HOW: Final = child_exec.KERNEL if sys.platform == "linux" else child_exec.GUARD


def tied(words: Sequence[str], *, by: Literal["SIGKILL", "SIGINT"] = "SIGKILL", how: str = _HOW) -> list[str]:
    """Return the command line that runs a command as a child of this process which the signal ends with it."""
    if sys.platform == "win32":
        return list(words)
    return [sys.executable, "-I", "-S", child_exec.__file__, by, str(os.getpid()), how, *words]


def from_lasting_thread(start: Callable[[], _Started]) -> _Started:
    """Start a child from a thread that stays as long as this process, with the caller's signal mask."""
    if sys.platform == "win32":
        return start()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def masked() -> _Started:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return start()

    return _STARTER.submit(masked).result()


class TiedProcess(SpawnProcess):
    """A process of `multiprocessing` that ends with its parent; on Linux with the thread that started it."""

    def run(self) -> None:
        """Bind this process to its parent, then do its work."""
        parent = parent_process()
        assert parent is not None
        assert parent.pid is not None
        if sys.platform != "linux":
            threading.Thread(target=_end_with, args=(parent.join,), daemon=True).start()
        elif not child_exec.ask_kernel(signal.SIGKILL, parent.pid):
            os._exit(1)
        super().run()


def _end_with(wait_for_parent: Callable[[], None]) -> None:
    wait_for_parent()
    os._exit(1)


class _TiedContext(SpawnContext):
    Process = TiedProcess


PROCESSES: Final = _TiedContext()
