"""Networks run by openvino on the CPU, in float32, bfloat16 or int8."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gobang.features import feature_planes
from gobang.network.checkpoint import Checkpoint
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.openvino_library import ov
from gobang.network.runtimes.openvino_model import to_openvino
from gobang.network.runtimes.quantization import quantize
from gobang.network.runtimes.runtime import Answer
from gobang.types import Variant

_LEAST_PART: Final = 8  # positions; smaller parts lose more to their overhead than a second thread gains

Pending = tuple[list[Any], NDArray[np.float32]]  # requests in the order of their rows, and the planes they read


class OpenvinoRuntime:
    """Runs a network on its own threads: `start` returns at once, requests are answered in order.

    A batch is cut into a part for each thread that is its own.  Measured on two cores, that gives 1.9 times the speed
    of one, where two threads at work on one part give 1.0 to 1.5 times and stall when a core is busy.
    """

    def __init__(
        self, checkpoint: Checkpoint, variant: Variant, *, precision: str, threads: int = 1, batches: int = 1
    ) -> None:
        """`threads` in all are divided among the `batches` under way at once."""
        model = to_openvino(checkpoint, variant)
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


@lru_cache(maxsize=1)
def _core() -> ov.Core:
    return ov.Core()
