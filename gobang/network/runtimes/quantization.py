"""int8 arithmetic for an openvino model: where to round, and to which ranges.

Every input and weight of a convolution and of a dense layer passes through a FakeQuantize node,
which the CPU plugin turns into int8 kernels.  A weight's range is the largest magnitude of its
output channel; an input's range is what it takes on sample positions.  The largest value counts,
not the usual one: clipping the rare strong signal of a threat cost 10 to 100 times more accuracy.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from llvmlite import binding
from numpy.typing import NDArray

from gobang.network.runtimes.openvino_library import ops, ov

_LEAST_SHARE: Final = 0.05  # of the work, below which a dense layer is not worth its rounding
_INPUT_LEVELS: Final = 256
_WEIGHT_LEVELS: Final = 255  # symmetric: -127 to 127
_LEAST_RANGE: Final = 1e-6


def quantize(model: ov.Model, core: ov.Core, planes: NDArray[np.float32]) -> None:
    """Insert the nodes into `model`, with ranges measured on `planes` [B, C, H, W]."""
    nodes = _quantized_nodes(model)
    for source, (low, high) in zip(_inputs(nodes), _input_ranges(model, core, planes), strict=True):
        readers = source.get_target_inputs()  # all of them, so that a residual sum reads int8 too
        rounded = _round_input(source, low, high).output(0)
        for reader in readers:
            reader.replace_source_output(rounded)
    for node in nodes:
        node.input(1).replace_source_output(_round_weight(node).output(0))
    model.validate_nodes_and_infer_types()


def _quantized_nodes(model: ov.Model) -> list[ov.Node]:
    """Convolutions, and the dense layers that matter; products of two activations, as in attention, stay."""
    layers = [node for node in model.get_ordered_ops() if node.get_type_name() in ("Convolution", "MatMul")]
    layers = [node for node in layers if node.input_value(1).get_node().get_type_name() == "Constant"]
    enough = _LEAST_SHARE * sum(_work(node) for node in layers)
    return [node for node in layers if node.get_type_name() == "Convolution" or _work(node) >= enough]


def _work(node: ov.Node) -> int:
    """Multiplications for one position: weights of one output channel times outputs."""
    weights: list[int] = list(node.input_value(1).get_shape())
    outputs: list[int] = [length.get_length() for length in list(node.get_output_partial_shape(0))[1:]]
    if node.get_type_name() == "Convolution":
        return math.prod(weights[1:]) * math.prod(outputs)
    return weights[-1 if node.get_attributes()["transpose_b"] else -2] * math.prod(outputs)


def _inputs(nodes: list[ov.Node]) -> list[ov.Output]:
    """The sources that the nodes read, each once, in the same order for equal models."""
    sources = [node.input_value(0) for node in nodes]
    return list({(source.get_node().get_friendly_name(), source.get_index()): source for source in sources}.values())


def _input_ranges(model: ov.Model, core: ov.Core, planes: NDArray[np.float32]) -> list[tuple[float, float]]:
    """Least and greatest value of each of `_inputs` on the planes."""
    copy = model.clone()
    probe = ov.Model([ops.result(source) for source in _inputs(_quantized_nodes(copy))], copy.get_parameters(), "probe")
    settings = {"INFERENCE_NUM_THREADS": 1, "ENABLE_CPU_PINNING": False}  # in bf16 where it is there: good enough
    values = core.compile_model(probe, "CPU", settings)(planes)
    return [(float(values[output].min()), float(values[output].max())) for output in range(len(probe.outputs))]


def _round_input(source: ov.Output, low: float, high: float) -> ov.Node:
    """Unsigned where nothing is negative, as after ReLU, otherwise symmetric."""
    if low >= 0:
        low, high = 0.0, max(high, _LEAST_RANGE)
    else:
        high = max(-low, high, _LEAST_RANGE)
        low = -high * (_INPUT_LEVELS // 2) / (_INPUT_LEVELS // 2 - 1)
    return _fake_quantize(source, np.float32(low), np.float32(high), _INPUT_LEVELS)


def _round_weight(node: ov.Node) -> ov.Node:
    """Symmetric for each output channel."""
    constant = node.input_value(1).get_node()
    weight = constant.get_data()
    if node.get_type_name() == "Convolution":
        reduced: tuple[int, ...] = (1, 2, 3)
    else:
        reduced = (weight.ndim - 1,) if node.get_attributes()["transpose_b"] else (weight.ndim - 2,)
    largest = np.maximum(np.abs(weight).max(axis=reduced, keepdims=True), _LEAST_RANGE).astype(np.float32)
    if not _has_wide_sums():
        largest *= 2
    return _fake_quantize(constant.output(0), -largest, largest, _WEIGHT_LEVELS)


def _fake_quantize(source: ov.Output, low: NDArray[np.float32] | np.float32, high: Any, levels: int) -> ov.Node:
    bounds = [ops.constant(bound) for bound in (low, high, low, high)]
    return ops.fake_quantize(source, *bounds, levels)


def _has_wide_sums() -> bool:
    """Whether products of int8 are summed in 32 bits; older x86 sums pairs in 16, which half the weight range fits."""
    features = binding.get_host_cpu_features()
    return "sse2" not in features or any(features.get(name) for name in ("avx512vnni", "avxvnni", "amx-int8"))
