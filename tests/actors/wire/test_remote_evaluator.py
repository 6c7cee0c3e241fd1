import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from actors.wire import remote_evaluator as module
from actors.wire.remote_evaluator import RemoteEvaluator
from gobang.errors import EvaluatorUnavailable
from gobang.network.runtimes.calibration import sample_positions
from tests.actors.conftest import KEY, VARIANT, Held

PROGRAM = Path(__file__).with_name("server_process.py")


def positions(size: int, seed: int = 1):
    return sample_positions(VARIANT, size, seed=seed)


def check(answer, batch, version: int) -> None:
    np.testing.assert_array_equal(answer.priors, batch.cells + np.float32(version))


def test_several_questions_are_collected_in_any_order(start_server, connect):
    evaluator = connect(start_server().addresses[0])
    batches = [positions(size, seed=size) for size in (1, 30, 7, 64)]
    tickets = [evaluator.submit(batch) for batch in batches]
    for index in (2, 0, 3, 1):
        check(evaluator.collect(tickets[index]), batches[index], 1)


def test_many_questions_at_once_do_not_block(start_server, connect):
    evaluator = connect(start_server().addresses[0])
    assert evaluator.version == 1
    batch = positions(2000)
    tickets = [evaluator.submit(batch) for _ in range(60)]
    for ticket in tickets:
        check(evaluator.collect(ticket), batch, 1)


class Directory:
    """Finds the address that was published last."""

    def __init__(self) -> None:
        self.address = ""
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        if not self.address:
            raise EvaluatorUnavailable("no address")
        return self.address


def test_what_was_under_way_is_asked_of_the_next_server(start_server):
    find = Directory()
    held = Held()
    first = start_server(make=lambda blob: held)
    find.address = first.addresses[0]
    evaluator = RemoteEvaluator(find, KEY, VARIANT, model="latest", patience=20)
    assert evaluator.version == 1
    tickets = [evaluator.submit(positions(size)) for size in (3, 4)]
    assert held.entered.acquire(timeout=20)
    second = start_server(source=None, make=lambda blob: held)
    find.address = second.addresses[0]
    held.release.release(100)
    first.close()
    for ticket, size in zip(tickets, (3, 4), strict=True):
        check(evaluator.collect(ticket), positions(size), 1)
    check(evaluator.collect(evaluator.submit(positions(2))), positions(2), 1)
    assert find.asked == 2
    evaluator.close()


def test_without_a_server_patience_ends():
    evaluator = RemoteEvaluator(Directory(), KEY, VARIANT, model="latest", patience=0.05)
    ticket = evaluator.submit(positions(1))
    with pytest.raises(EvaluatorUnavailable, match=r"no inference server for 0\.05 s: no address"):
        evaluator.collect(ticket)


def test_a_question_survives_the_end_of_patience(start_server):
    find = Directory()
    evaluator = RemoteEvaluator(find, KEY, VARIANT, model="latest", patience=1.5)
    ticket = evaluator.submit(positions(4))
    with pytest.raises(EvaluatorUnavailable):
        evaluator.collect(ticket)
    find.address = start_server().addresses[0]
    check(evaluator.collect(ticket), positions(4), 1)
    evaluator.close()


def test_a_server_that_does_not_answer_is_given_up(start_server, connect):
    held = Held()
    evaluator = connect(start_server(make=lambda blob: held).addresses[0], patience=0.3)
    ticket = evaluator.submit(positions(1))
    with pytest.raises(EvaluatorUnavailable, match="does not answer"):
        evaluator.collect(ticket)
    held.release.release(10)


class Distorted:
    """Stands between: turns the first so many answers into ones that are not finite, as a faulty memory would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answers: int) -> None:
        self.left = answers
        self.decode = module.decode_evaluations
        monkeypatch.setattr(module, "decode_evaluations", self)

    def __call__(self, variant, message):
        evaluations = self.decode(variant, message)
        if self.left:
            self.left -= 1
            evaluations.priors[0, 0] = np.nan
        return evaluations


def test_an_answer_that_is_not_finite_is_asked_for_again(start_server, connect, monkeypatch):
    evaluator = connect(start_server().addresses[0])
    Distorted(monkeypatch, answers=3)
    tickets = [evaluator.submit(positions(size)) for size in (3, 4)]
    for ticket, size in zip(tickets, (3, 4), strict=True):
        check(evaluator.collect(ticket), positions(size), 1)


def test_a_server_that_gives_no_finite_answers_is_given_up_with_the_reason(start_server, connect, monkeypatch):
    evaluator = connect(start_server().addresses[0], patience=0.5)
    Distorted(monkeypatch, answers=1_000_000)
    ticket = evaluator.submit(positions(3))
    with pytest.raises(EvaluatorUnavailable, match="version 1 gives answers that are not finite"):
        evaluator.collect(ticket)


def start_process(address: str, version: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), address, str(version)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_killed_server_is_replaced_without_a_lost_question():
    socket = Path(f"/tmp/gobang-{secrets.token_hex(6)}.sock")
    address = f"unix:{socket}"
    evaluator = RemoteEvaluator(lambda: address, KEY, VARIANT, model="latest", patience=30)
    for version in (1, 2, 3):
        with start_process(address, version) as process:
            tickets = [evaluator.submit(positions(size)) for size in (5, 6)]
            for ticket, size in zip(tickets, (5, 6), strict=True):
                check(evaluator.collect(ticket), positions(size), version)
            assert evaluator.version == version
            under_way = evaluator.submit(positions(7))
            os.kill(process.pid, signal.SIGKILL)
    with start_process(address, 4) as process:
        assert evaluator.collect(under_way).priors.shape == (7, VARIANT.points)
        process.kill()
    socket.unlink()
    evaluator.close()
