import pytest
from llvmlite import binding

from gobang.features import feature_planes
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.openvino_backend import OpenvinoRuntime
from gobang.network.runtimes.openvino_library import ov
from gobang.network.runtimes.openvino_model import to_openvino
from gobang.network.runtimes.quantization import quantize
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

VARIANT = Variant.square(6)


def rounded_layers(spec: NetworkSpec) -> list[str]:
    """Types of the layers whose weights are rounded."""
    model = to_openvino(fresh_checkpoint(spec, VARIANT), VARIANT)
    quantize(model, ov.Core(), feature_planes(spec.features, sample_positions(VARIANT)))
    layers = [node for node in model.get_ordered_ops() if node.get_type_name() in ("Convolution", "MatMul")]
    return [
        node.get_type_name()
        for node in layers
        if all(node.input_value(port).get_node().get_type_name() == "FakeQuantize" for port in range(2))
    ]


def test_all_convolutions_and_no_pooled_layers_are_rounded() -> None:
    spec = NetworkSpec(options={"blocks": 2, "filters": 16})
    assert rounded_layers(spec) == ["Convolution"] * (1 + 2 * 2 + 1 + 2)  # stem, blocks, value head, policy


def test_the_large_dense_layers_are_rounded() -> None:
    spec = NetworkSpec(architecture="mlp", options={"units": 64, "layers": 3}, height=6, width=6)
    assert rounded_layers(spec) == ["MatMul"] * 4  # all but the three rows of the chances


def test_old_processors_use_half_of_the_weights_range(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = fresh_checkpoint(NetworkSpec(options={"blocks": 1, "filters": 8}), VARIANT)
    planes = feature_planes("four", sample_positions(VARIANT, 20))
    answers = []
    for flag in (True, False):
        features = {"sse2": True, "avx512vnni": flag}
        monkeypatch.setattr(binding, "get_host_cpu_features", lambda features=features: features)
        runtime = OpenvinoRuntime(checkpoint, VARIANT, precision="int8")
        answers.append(runtime.finish(runtime.start(planes))[0])
    assert 0 < abs(answers[0] - answers[1]).max() < 0.01
