import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from learner.run.interrupts import SIGNALS, Interrupted, Interrupts


@pytest.fixture
def world():
    """Interrupts that record instead of ending, with a clock to set."""
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    said, ended, now = [], [], [100.0]
    interrupts = Interrupts(said.append, ended.append, clock=lambda: now[0])
    interrupts.listen()
    yield interrupts, said, ended, now
    for number, handler in handlers.items():
        signal.signal(number, handler)


def test_a_signal_comes_through_while_the_log_and_the_event_are_locked(world):
    """A handler that waits for a lock of the thread that it interrupts waits for ever."""
    interrupts, said, ended, now = world
    log = threading.Lock()

    def say(line):
        assert log.acquire(blocking=False), "it was told within the handler"
        said.append(line)
        log.release()

    interrupts._say = say
    interrupts.event._cond = None  # the lock that every other event has
    with log:
        signal.raise_signal(signal.SIGTERM)
        assert said == []
        now[0] += 2
        signal.raise_signal(signal.SIGTERM)
    assert ended == [143]
    assert interrupts.wait(60)
    assert interrupts.has_come
    assert said == ["SIGTERM: the run ends; once more to end it at once"]


def test_an_event_of_signals_is_heard_by_other_threads(world):
    interrupts, _, _, _ = world
    assert not interrupts.event.wait(0)
    with ThreadPoolExecutor(1) as pool:
        heard = pool.submit(interrupts.event.wait)
        signal.raise_signal(signal.SIGINT)
        assert heard.result(60)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_asks_for_the_end(world, number):
    interrupts, said, ended, _ = world
    assert not interrupts.has_come
    signal.raise_signal(number)
    assert interrupts.wait(0)
    assert said == [f"{number.name}: the run ends; once more to end it at once"]
    assert ended == []


def test_the_second_ends_at_once_unless_it_is_the_first_again(world):
    _, _, ended, now = world
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    assert ended == []
    now[0] += 2
    signal.raise_signal(signal.SIGINT)
    assert ended == [130]


def test_a_signal_ends_waiting(world):
    interrupts, _, _, now = world
    assert interrupts.wait_until(lambda: True)
    assert not interrupts.wait_until(lambda: now.append(now.pop() + 6), seconds=10)
    with pytest.raises(Interrupted):
        interrupts.wait_until(lambda: signal.raise_signal(signal.SIGTERM))


def test_held_signals_are_heard_afterwards_whatever_a_library_does(world):
    interrupts, said, _, _ = world
    with interrupts.held():
        signal.signal(signal.SIGTERM, lambda *_: said.append("a library"))
        signal.raise_signal(signal.SIGTERM)
        assert not interrupts.has_come
    assert interrupts.has_come
    assert said == ["SIGTERM: the run ends; once more to end it at once"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell what a process blocks")
def test_what_is_started_meanwhile_does_not_hear_them(world):
    interrupts, _, _, _ = world
    blocked = "print(open('/proc/self/status').read().split('SigBlk:')[1].split()[0])"
    with interrupts.held():
        child = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=True, timeout=60)
    assert int(child.stdout, 16) == sum(1 << number - 1 for number in SIGNALS)


def test_the_handlers_of_before_come_back():
    before = [signal.getsignal(number) for number in SIGNALS]
    interrupts = Interrupts(print)
    interrupts.listen()
    with interrupts.held():
        pass
    assert [signal.getsignal(number) for number in SIGNALS] != before
    interrupts.close()
    assert [signal.getsignal(number) for number in SIGNALS] == before
