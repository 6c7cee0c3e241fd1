"""Every architecture through a checkpoint, ONNX and each backend."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from gobang.evaluators.network import make_evaluator
from gobang.features import feature_planes
from gobang.network.architectures.architecture import ARCHITECTURES
from gobang.network.checkpoint import Checkpoint, checkpoint_to_bytes, fresh_checkpoint, load_checkpoint
from gobang.network.export import TOLERANCE, deviation, to_onnx
from gobang.network.runtimes.backend import PRECISIONS
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

GAMES = ((Variant.square(6, k=4), False), (Variant.square(7, players=3), True))  # and whether the value is a scalar
SMALL = {
    "gobang_net": {"blocks": 2, "filters": 16},
    "resnet": {"blocks": 1, "filters": 16},
    "resnet18": {"filters": 8},
    "mlp": {"units": 32},
    "cascaded_attention": {"filters": 16},
}
CLOSE = {"fp32": 5e-5, "bf16": 2e-2, "int8": 5e-2}
CASES = [(name, variant, scalar) for name in ARCHITECTURES for variant, scalar in GAMES]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}, {case[1]}")
def original(request: pytest.FixtureRequest) -> Checkpoint:
    name, variant, scalar = request.param
    torch.manual_seed(1)
    spec = NetworkSpec(
        architecture=name,
        options=SMALL.get(name, {"filters": 8}),
        features="players",
        players=variant.players,
        scalar_value=scalar,
        reply_head=scalar,
    )
    fresh = fresh_checkpoint(spec, variant)
    network = fresh.network().train()
    network(torch.from_numpy(feature_planes("players", sample_positions(variant, 64, seed=3))))
    list(network.policy.parameters())[-2].data.mul_(5.0)
    return replace(fresh, tensors=network.arrays(), version=6)


def test_checkpoint_and_onnx(original: Checkpoint) -> None:
    loaded = load_checkpoint(checkpoint_to_bytes(original), variant=original.variant, features="players")
    assert (loaded.spec, loaded.version) == (original.spec, 6)
    assert loaded.tensors.keys() == original.tensors.keys()
    assert all(np.array_equal(array, original.tensors[name]) for name, array in loaded.tensors.items())
    assert deviation(loaded, to_onnx(loaded)) < TOLERANCE


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_backends(original: Checkpoint, backend: str) -> None:
    positions = sample_positions(original.variant, 32, seed=4)
    with torch.no_grad():
        output = original.network()(torch.from_numpy(feature_planes("players", positions)))
    for precision in PRECISIONS[backend]:
        evaluator = make_evaluator(original, original.variant, backend=backend, precision=precision)
        answer = evaluator.collect(evaluator.submit(positions))
        for logits, answered in ((output.policy, answer.priors), (output.chances, answer.chances)):
            expected = torch.softmax(logits, dim=1).numpy()
            np.testing.assert_allclose(answered, expected, atol=CLOSE[precision], rtol=0)
