"""Processes that end with the process that started them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from gobang import child_exec
from gobang.children import from_lasting_thread, tied

# Takes no notice of anything: a child that would stay for ever.
STUBBORN = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print(os.getpid(), flush=True)
while True:
    signal.pause()
"""
PARENT = """
import subprocess, sys, threading
from functools import partial
from gobang.children import from_lasting_thread, tied
start = partial(subprocess.Popen, tied([sys.executable, "-S", "-c", sys.argv[1]], how=sys.argv[2]))
thread = threading.Thread(target=from_lasting_thread, args=(start,))
thread.start()
thread.join()
sys.stdin.read()
"""
SECONDS = 20.0
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")


@linux
@pytest.mark.parametrize("how", [child_exec.KERNEL, child_exec.GUARD])
def test_a_child_that_heeds_nothing_ends_with_its_parent_and_not_with_a_thread(how: str) -> None:
    words = [sys.executable, "-c", PARENT, STUBBORN, how]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        child = os.pidfd_open(int(parent.stdout.readline()))
        assert not select.select([child], [], [], 0)[0]  # the thread that asked for it is gone
        parent.kill()
        parent.wait()
        assert select.select([child], [], [], SECONDS)[0]
        os.close(child)


@linux
def test_a_guard_ends_with_the_process_that_it_guards_and_holds_no_pipe() -> None:
    words = tied([sys.executable, "-S", "-c", STUBBORN], how=child_exec.GUARD)
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert child.stdout
    child.stdout.readline()
    (guard,) = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    watched = os.pidfd_open(int(guard))
    child.kill()
    assert child.stdout.read() == b""  # at once, though the guard lives for a moment
    child.wait()
    child.stdout.close()
    assert select.select([watched], [], [], SECONDS)[0]
    os.close(watched)


@pytest.mark.parametrize("how", [child_exec.KERNEL, child_exec.GUARD])
def test_a_command_whose_parent_is_gone_never_starts(how: str) -> None:
    if how == child_exec.KERNEL and sys.platform != "linux":
        pytest.skip("only Linux has it")
    words = tied([sys.executable, "-c", "print('started')"], how=how)
    gone = subprocess.Popen([sys.executable, "-S", "-c", ""])
    gone.wait()
    words[words.index(str(os.getpid()))] = str(gone.pid)
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode in (1, -signal.SIGKILL)
    assert done.stdout == b""


def test_a_program_that_is_not_there_is_one_line() -> None:
    done = subprocess.run(tied(["/no/such/program"]), capture_output=True, text=True, check=False)
    assert done.returncode == child_exec.NO_PROGRAM
    assert done.stderr == "/no/such/program does not start: No such file or directory\n"


MASK = "import json, signal; print(json.dumps(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ()))))"


def mask_of_a_child() -> list[int]:
    start = partial(subprocess.Popen, tied([sys.executable, "-c", MASK]), stdout=subprocess.PIPE)
    child: subprocess.Popen[bytes] = from_lasting_thread(start)
    return [int(number) for number in json.loads(child.communicate()[0])]


def in_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_child_has_the_signal_mask_of_the_thread_that_asks() -> None:
    found: list[list[int]] = []

    def ask() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        found.append(mask_of_a_child())

    in_thread(ask)
    in_thread(lambda: found.append(mask_of_a_child()))
    assert found == [[signal.SIGTERM], []]
