"""New weights in a graph that is traced once."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.presets import preset
from gobang.network.runtimes import openvino_backend
from gobang.network.runtimes.openvino_backend import OpenvinoRuntime
from gobang.network.runtimes.torch_backend import TorchRuntime
from gobang.types import Variant

VARIANT = Variant.square(7, k=4)


def test_new_weights_are_not_traced_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch never frees a trace, so that a server which exchanges weights for days must not make one each time."""
    traces = []
    trace = torch.jit.trace
    monkeypatch.setattr(openvino_backend, "_TRACES", {})
    monkeypatch.setattr(torch.jit, "trace", lambda *args, **options: traces.append(1) or trace(*args, **options))
    spec = preset("gobang_2x32")
    planes = np.random.default_rng(0).random((5, spec.planes, 7, 7), np.float32)
    for _ in range(3):
        checkpoint = fresh_checkpoint(spec, VARIANT)
        ours = OpenvinoRuntime(checkpoint, VARIANT, precision="fp32")
        plain = TorchRuntime(checkpoint, bf16=False)
        for found, expected in zip(ours.finish(ours.start(planes)), plain.finish(plain.start(planes)), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-5)
    assert len(traces) == 1
