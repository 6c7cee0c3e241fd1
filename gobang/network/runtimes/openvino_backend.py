"""Networks run by openvino on the CPU, in float32, bfloat16 or int8."""

from __future__ import annotations

import copy
import json
import threading
import warnings
from functools import lru_cache
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from gobang.features import feature_planes
from gobang.network.checkpoint import Checkpoint
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.inference import InferenceNetwork
from gobang.network.runtimes.openvino_library import (
    FrontEndManager,
    TorchScriptPythonDecoder,
    apply_moc_transformations,
    ov,
)
from gobang.network.runtimes.quantization import quantize
from gobang.network.runtimes.runtime import Answer
from gobang.types import Variant

_DYNAMIC: Final = -1
_LEAST_PART: Final = 8  # positions; smaller parts lose more to their overhead than a second thread gains

Pending = tuple[list[Any], NDArray[np.float32]]  # requests in the order of their rows, and the planes they read
_TRACES: Final[dict[str, Any]] = {}  # by spec and board; used under _TRACING
_TRACING: Final = threading.Lock()


class OpenvinoRuntime:
    """Runs a network on its own threads: `start` returns at once, requests are answered in order.

    A batch is cut into a part for each thread that is its own.  Measured on two cores, that gives 1.9 times the speed
    of one, where two threads at work on one part give 1.0 to 1.5 times and stall when a core is busy.
    """

    def __init__(
        self, checkpoint: Checkpoint, variant: Variant, *, precision: str, threads: int = 1, batches: int = 1
    ) -> None:
        """`threads` in all are divided among the `batches` under way at once."""
        model = to_openvino(InferenceNetwork(checkpoint.network()), checkpoint.spec.planes, variant)
        if precision == "int8":
            quantize(model, _core(), feature_planes(checkpoint.spec.features, sample_positions(variant)))
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": threads,
            "INFERENCE_PRECISION_HINT": "bf16" if precision == "bf16" else "f32",
            "ENABLE_CPU_PINNING": False,  # the system knows of the other processes, openvino does not
        }
        self._parts = max(1, threads // batches)
        self._model = _core().compile_model(model, "CPU", settings)
        self._idle: list[Any] = []  # requests to use again

    def start(self, planes: NDArray[np.float32]) -> Pending:
        """Queue the planes for the threads of the runtime."""
        parts = max(1, min(self._parts, len(planes) // _LEAST_PART))
        pieces = np.array_split(planes, parts) if parts > 1 else [planes]
        return [self._start_part(piece) for piece in pieces], planes

    def finish(self, pending: Pending) -> Answer:
        """Wait, and copy the answers out of the requests, which are used again."""
        requests, _ = pending
        for request in requests:
            request.wait()
        priors, chances = (
            np.concatenate([request.get_output_tensor(output).data for request in requests]) for output in range(2)
        )
        self._idle += requests
        return priors, chances

    def _start_part(self, planes: NDArray[np.float32]) -> Any:
        request = self._idle.pop() if self._idle else self._model.create_infer_request()
        request.set_input_tensor(ov.Tensor(planes, shared_memory=True))
        request.start_async()
        return request


def has_bf16() -> bool:
    """Whether the CPU computes with bfloat16 in hardware."""
    return "BF16" in _core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def to_openvino(network: InferenceNetwork, planes: int, variant: Variant) -> ov.Model:
    """The network as an openvino model of the variant's board and of any batch."""
    example = torch.zeros(2, planes, variant.height, variant.width)
    with _TRACING, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, and notes that the board's size is fixed, as it should be
        traced = _traced(network, example)
        # Not frozen by torch, which never frees that either.
        return _converted(traced, example)


def _converted(traced: Any, example: torch.Tensor) -> ov.Model:
    frontend = FrontEndManager().load_by_framework("pytorch")
    # The frontend does not keep the decoder alive until it has converted.
    decoder = TorchScriptPythonDecoder(traced, shared_memory=False)
    model = frontend.convert(frontend.load(decoder))
    parameter = model.get_parameters()[0]
    parameter.set_element_type(ov.Type.f32)
    parameter.set_partial_shape(ov.PartialShape([_DYNAMIC, *example.shape[1:]]))
    model.validate_nodes_and_infer_types()
    apply_moc_transformations(model, cf=False)  # folds constants, so that weights stand next to their layers
    return model


def _traced(network: InferenceNetwork, example: torch.Tensor) -> Any:
    """The network as a graph, which is traced once for a spec and a board and then given each network's weights.

    torch never frees what a trace took: 2.5 MB for each new version of a small network.
    """
    key = json.dumps([network.network.spec.to_dict(), list(example.shape)], sort_keys=True)
    if key not in _TRACES:
        own = copy.deepcopy(network.eval())
        _TRACES[key] = torch.jit.trace(own, example, check_trace=False)  # type: ignore[no-untyped-call]
    _TRACES[key].load_state_dict(network.state_dict())
    return _TRACES[key]


@lru_cache(maxsize=1)
def _core() -> ov.Core:
    return ov.Core()
