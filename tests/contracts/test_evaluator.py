"""The duties of every Evaluator, on each backend and wrapper."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import torch

from actors.server.inference import InferenceServer, ServerConfig
from actors.server.local import LocalEvaluator
from actors.wire.remote_evaluator import RemoteEvaluator
from gobang.evaluators.cached import CachedEvaluator
from gobang.evaluators.network import make_evaluator
from gobang.evaluators.null import NullEvaluator
from gobang.evaluators.uniform import UniformEvaluator
from gobang.features import feature_planes
from gobang.interfaces import Evaluator
from gobang.network.checkpoint import Checkpoint, fresh_checkpoint
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.spec import NetworkSpec
from gobang.types import Evaluations, Positions, Variant

# Largest difference of a probability from plain fp32 torch, and largest mean KL divergence from it.
# In fp32 the table of line shapes is rounded to steps; tests/network/runtimes/test_line_runtime.py is stricter.
TOLERANCE = {"fp32": 1e-4, "bf16": 2e-2, "int8": 5e-2}
DIVERGENCE = {"fp32": 1e-6, "bf16": 1e-3, "int8": 5e-3}

NETWORKS = {
    f"{backend} {precision}": (backend, precision)
    for backend, precisions in (("torch", ("fp32", "bf16")), ("openvino", ("fp32", "bf16", "int8")))
    for precision in precisions
}
TWO_THREADS = "openvino fp32, 2 threads"  # torch with two is right too, but slow when a core is busy
NETWORKS[TWO_THREADS] = ("openvino", "fp32")
LINES = "kernel of line_net, 2 threads"  # which stands in for openvino
NETWORKS[LINES] = ("openvino", "fp32")
SPECS = {
    "gobang_net": {"blocks": 2, "filters": 16, "head_filters": 8, "value_units": 16},
    "line_net": {"filters": 16, "value_units": 16},
}
CACHED = "cached"
REMOTE = "remote"
LOCAL = "local"
UNIFORM = "uniform"
ONCE = SimpleNamespace(weights=lambda which, known: b"" if known < 0 else None)  # a source of one version
VARIANTS = [Variant.square(8), Variant(height=7, width=11, k=5), Variant.square(6, k=4, players=3)]
SAME = 1e-6  # a network rounds differently in a batch of another size, such as the rest that a cache asks about
SHARPNESS = 5.0  # of the fresh network's answers, so that differences show


class Subject(NamedTuple):
    evaluator: Evaluator
    update: Callable[[Checkpoint], None]
    variant: Variant
    checkpoint: Checkpoint


def make_checkpoint(variant: Variant, version: int, architecture: str = "gobang_net") -> Checkpoint:
    torch.manual_seed(version)
    features = "players" if variant.players == 2 else "players_last"
    spec = NetworkSpec(
        architecture=architecture, features=features, players=variant.players, options=SPECS[architecture]
    )
    fresh = fresh_checkpoint(spec, variant)
    network = fresh.network().train()
    planes = feature_planes(features, sample_positions(variant, 64, seed=3))
    for _ in range(10):
        network(torch.from_numpy(planes))  # gathers the statistics of batch norm
    for head in (network.policy, network.outcome):
        list(head.parameters())[-2].data.mul_(SHARPNESS)
    return replace(fresh, tensors=network.arrays(), version=version)


@contextmanager
def served(inner: Evaluator, variant: Variant) -> Iterator[Evaluator]:
    """The evaluator behind a server's socket."""
    config = ServerConfig(variant=variant, listen=("tcp:127.0.0.1:0",), key=b"key")
    server = InferenceServer(config, ONCE, lambda blob: inner)
    remote = RemoteEvaluator(lambda: server.addresses[0], b"key", variant, model="latest")
    yield remote
    remote.close()
    server.close()


@pytest.fixture(scope="module", params=VARIANTS, ids=str)
def checkpoint(request: pytest.FixtureRequest) -> Checkpoint:
    return make_checkpoint(request.param, 1)


@pytest.fixture(scope="module", params=[*NETWORKS, CACHED, "null", UNIFORM, REMOTE, LOCAL])
def subject(request: pytest.FixtureRequest, checkpoint: Checkpoint) -> Iterator[Subject]:
    with ExitStack() as stack:
        yield make_subject(request.param, checkpoint, stack)


@pytest.fixture(scope="module", params=[*NETWORKS, CACHED, REMOTE, LOCAL])
def network_subject(request: pytest.FixtureRequest, checkpoint: Checkpoint) -> Iterator[tuple[Subject, str]]:
    precision = NETWORKS.get(request.param, ("torch", "fp32"))[1]
    with ExitStack() as stack:
        yield make_subject(request.param, checkpoint, stack), precision


def make_subject(name: str, checkpoint: Checkpoint, stack: ExitStack | None = None) -> Subject:
    backend, precision = NETWORKS.get(name, ("null" if name in ("null", UNIFORM) else "torch", "fp32"))
    threads = 2 if name in (TWO_THREADS, LINES) else 1
    if name == LINES:
        checkpoint = make_checkpoint(checkpoint.variant, checkpoint.version, "line_net")
    inner = make_evaluator(checkpoint, checkpoint.variant, backend=backend, precision=precision, threads=threads)
    evaluator: Evaluator = inner
    if name == CACHED:
        evaluator = CachedEvaluator(inner, checkpoint.variant, entries=64)  # fewer than a batch, so that some fall out
    if name == UNIFORM:
        evaluator = UniformEvaluator(checkpoint.variant, seed=1)
    if name == LOCAL:
        evaluator = LocalEvaluator(lambda: ONCE, lambda blob: inner, model="latest")
    if name == REMOTE and stack is not None:
        evaluator = stack.enter_context(served(inner, checkpoint.variant))
    return Subject(evaluator, inner.update, checkpoint.variant, checkpoint)


def ask(evaluator: Evaluator, positions: Positions) -> Evaluations:
    return evaluator.collect(evaluator.submit(positions))


def reference(checkpoint: Checkpoint, positions: Positions) -> Evaluations:
    with torch.no_grad():
        output = checkpoint.network()(torch.from_numpy(feature_planes(checkpoint.spec.features, positions)))
    priors, chances = (torch.softmax(logits, dim=1).numpy() for logits in (output.policy, output.chances))
    return Evaluations(priors=priors, chances=chances)


def divergence(truth: np.ndarray, answer: np.ndarray) -> float:
    return float((truth * np.log((truth + 1e-9) / (answer + 1e-9))).sum(axis=1).mean())


@pytest.mark.parametrize("size", [1, 7, 64, 200])
def test_answers_are_probabilities(subject: Subject, size: int) -> None:
    answer = ask(subject.evaluator, sample_positions(subject.variant, size, seed=5))
    assert answer.priors.shape == (size, subject.variant.points)
    assert answer.chances.shape == (size, subject.variant.players + 1)
    assert answer.priors.dtype == answer.chances.dtype == np.float32
    assert min(answer.priors.min(), answer.chances.min()) >= 0
    assert (answer.priors.sum(axis=1) > 0).all()
    np.testing.assert_allclose(answer.chances.sum(axis=1), 1, atol=1e-4)


def test_no_positions_have_no_answers(subject: Subject) -> None:
    answer = ask(subject.evaluator, sample_positions(subject.variant, 0))
    assert answer.priors.shape == (0, subject.variant.points)
    assert answer.chances.shape == (0, subject.variant.players + 1)


@pytest.mark.parametrize("size", [1, 7, 64, 200])
def test_networks_answer_as_plain_torch_does(network_subject: tuple[Subject, str], size: int) -> None:
    subject, precision = network_subject
    positions = sample_positions(subject.variant, size, seed=6)
    answer, truth = ask(subject.evaluator, positions), reference(subject.checkpoint, positions)
    assert np.ptp(truth.priors) > 10 * TOLERANCE["fp32"]
    assert np.abs(answer.priors - truth.priors).max() < TOLERANCE[precision]
    assert np.abs(answer.chances - truth.chances).max() < TOLERANCE[precision]
    assert divergence(truth.priors, answer.priors) < DIVERGENCE[precision]
    assert divergence(truth.chances, answer.chances) < DIVERGENCE[precision]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_tickets_are_collected_in_any_order(subject: Subject, order: tuple[int, int]) -> None:
    batches = [sample_positions(subject.variant, 20, seed=seed) for seed in (7, 8)]
    alone = [ask(subject.evaluator, batch) for batch in batches]
    tickets = [subject.evaluator.submit(batch) for batch in batches]
    together = {index: subject.evaluator.collect(tickets[index]) for index in order}
    for index in order:
        np.testing.assert_allclose(together[index].priors, alone[index].priors, atol=SAME)
        np.testing.assert_allclose(together[index].chances, alone[index].chances, atol=SAME)


def test_answers_belong_to_the_caller(subject: Subject) -> None:
    first, second = (sample_positions(subject.variant, 20, seed=seed) for seed in (9, 10))
    answer = ask(subject.evaluator, first)
    priors, chances = answer.priors.copy(), answer.chances.copy()
    later = ask(subject.evaluator, second)
    later.priors[:] = later.chances[:] = 7
    np.testing.assert_array_equal(answer.priors, priors)
    np.testing.assert_array_equal(answer.chances, chances)
    np.testing.assert_allclose(ask(subject.evaluator, first).priors, priors, atol=SAME)


def test_an_update_changes_version_and_answers() -> None:
    variant = VARIANTS[0]
    old, new = make_checkpoint(variant, 1), make_checkpoint(variant, 2)
    positions = sample_positions(variant, 20, seed=11)
    for name, (_, precision) in NETWORKS.items():
        subject = make_subject(name, old)
        before = ask(subject.evaluator, positions)
        ticket = subject.evaluator.submit(positions)
        assert subject.evaluator.version == 1
        subject.update(new)
        assert subject.evaluator.version == 2
        np.testing.assert_array_equal(subject.evaluator.collect(ticket).priors, before.priors)
        after = ask(subject.evaluator, positions)
        np.testing.assert_allclose(after.priors, reference(new, positions).priors, atol=TOLERANCE[precision])
        assert np.abs(after.chances - before.chances).max() > 0.01


@pytest.mark.parametrize("name", [CACHED, "null"])
def test_cache_and_null_report_the_version(name: str) -> None:
    checkpoint = make_checkpoint(VARIANTS[0], 4)
    subject = make_subject(name, checkpoint)
    subject.update(replace(checkpoint, version=5))
    assert subject.evaluator.version == 5


def test_null_is_even() -> None:
    answer = ask(NullEvaluator(VARIANTS[2]), sample_positions(VARIANTS[2], 3))
    np.testing.assert_allclose(answer.priors, 1 / 36)
    np.testing.assert_allclose(answer.chances, [[1 / 3, 1 / 3, 1 / 3, 0]] * 3)
