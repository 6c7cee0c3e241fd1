import gc
import threading
import time

import numpy as np
import pytest

from actors.server.local import LocalEvaluator
from gobang.errors import EvaluatorUnavailable, InvalidCheckpoint, VersionGone
from gobang.network.runtimes.calibration import sample_positions
from gobang.types import Evaluations, Positions
from tests.actors.conftest import VARIANT, Marked, Shelf, marked


def local(shelf: Shelf, *, model: str = "latest", make=marked, patience: float = 20.0) -> LocalEvaluator:
    return LocalEvaluator(lambda: shelf, make, model=model, poll_seconds=0.01, patience=patience)


def ask(evaluator: LocalEvaluator, seed: int = 1) -> tuple[Positions, Evaluations]:
    batch = sample_positions(VARIANT, 5, seed=seed)
    return batch, evaluator.collect(evaluator.submit(batch))


def test_newer_weights_take_over_by_themselves():
    shelf = Shelf()
    evaluator = local(shelf)
    assert evaluator.version == 1
    shelf.versions["latest"] = 2
    deadline = time.monotonic() + 20
    versions = []
    while time.monotonic() < deadline and evaluator.version < 2:
        batch, answer = ask(evaluator)
        versions.append(evaluator.version)
        np.testing.assert_array_equal(answer.priors, batch.cells + np.float32(versions[-1]))  # says who has answered
    assert versions[-1] == 2
    assert versions == sorted(versions)


def test_the_first_weights_are_waited_for():
    shelf = Shelf({})
    evaluator = local(shelf)
    threading.Timer(0.2, lambda: shelf.versions.update(latest=3)).start()
    assert evaluator.version == 3
    with pytest.raises(EvaluatorUnavailable, match=r"no weights of model 'latest' for 0\.2 s: no weights 'latest'"):
        ask(local(Shelf({}), patience=0.2))


def test_a_version_that_will_never_answer_is_gone():
    def damaged(blob: bytes) -> Marked:
        raise InvalidCheckpoint("damaged")

    with pytest.raises(VersionGone, match="version 7 cannot be used: damaged"):
        ask(local(Shelf(), model="7", make=damaged))


def test_weights_that_are_not_finite_give_way_to_those_before():
    class Broken(Marked):
        def evaluate(self, positions: Positions) -> Evaluations:
            answer = super().evaluate(positions)
            answer.priors[0, 0] = np.nan
            return answer

    shelf, broken = Shelf(), Broken(2)
    evaluator = local(shelf, make=lambda blob: broken if blob == b"2" else marked(blob))
    assert evaluator.version == 1
    shelf.versions["latest"] = 2
    deadline = time.monotonic() + 20
    while not broken.batches:
        assert time.monotonic() < deadline
        batch, answer = ask(evaluator)
        np.testing.assert_array_equal(answer.priors, batch.cells + np.float32(1))


def test_a_source_that_fails_is_asked_again(caplog):
    class Failing(Shelf):
        failures = 0

        def weights(self, which: str, known: int) -> bytes | None:
            if self.versions["latest"] == 2 and not self.failures:
                self.failures += 1
                raise RuntimeError("the cluster is out of memory")
            return super().weights(which, known)

    shelf = Failing()
    evaluator = local(shelf)
    assert evaluator.version == 1
    shelf.versions["latest"] = 2
    deadline = time.monotonic() + 20
    while evaluator.version != 2:
        assert time.monotonic() < deadline
        ask(evaluator)
    assert shelf.failures == 1
    assert "the cluster is out of memory" in caplog.text


def test_the_thread_ends_with_its_evaluator():
    evaluator = local(Shelf({"best": 1}), model="best")
    assert evaluator.version == 1
    (thread,) = (each for each in threading.enumerate() if each.name == "model best")
    del evaluator
    gc.collect()
    thread.join(20)
    assert not thread.is_alive()


def test_without_a_thread_newer_weights_come_when_they_are_asked_for():
    shelf, before = Shelf(), threading.active_count()
    evaluator = LocalEvaluator(lambda: shelf, marked, model="latest", poll_seconds=None, patience=0.0)
    with pytest.raises(EvaluatorUnavailable):
        ask(evaluator)
    evaluator.renew()
    shelf.versions["latest"] = 2
    ask(evaluator)
    assert evaluator.version == 1
    evaluator.renew()
    ask(evaluator)
    assert evaluator.version == 2
    assert threading.active_count() == before
