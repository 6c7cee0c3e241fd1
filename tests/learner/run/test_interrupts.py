import signal

import pytest

from learner.run.interrupts import SIGNALS, Interrupts


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
