"""Export of a checkpoint as ONNX, checked in onnxruntime.

$ gobang export best.safetensors --onnx best.onnx
best.onnx: 8x8, 5 in a row, freestyle; planes [batch, 4, 8, 8] -> priors [batch, 64], chances [batch, 3]
onnxruntime differs from torch by 1.2e-07 at most
"""

from __future__ import annotations

import importlib
import io
import warnings
from pathlib import Path
from typing import Final

import numpy as np
import torch

from gobang.disk import write_atomically
from gobang.errors import InvalidConfig
from gobang.features import feature_planes
from gobang.network.checkpoint import Checkpoint
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.inference import InferenceNetwork

TOLERANCE: Final = 1e-4  # of a probability
_CHECKED: Final = 64  # positions
_OUTPUTS: Final = ("priors", "chances")


def to_onnx(checkpoint: Checkpoint) -> bytes:
    """An ONNX model of the trained board and any batch: planes [B, C, H, W] to priors and chances."""
    board = checkpoint.variant
    example = torch.zeros(2, checkpoint.spec.planes, board.height, board.width)
    axes = {name: {0: "batch"} for name in ("planes", *_OUTPUTS)}
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter without further dependencies is the older one
        torch.onnx.export(
            InferenceNetwork(checkpoint.network()).eval(),
            (example,),
            content,  # type: ignore[arg-type]  # this exporter takes a stream too
            input_names=["planes"],
            output_names=list(_OUTPUTS),
            dynamic_axes=axes,
            dynamo=False,
        )
    return content.getvalue()


def deviation(checkpoint: Checkpoint, model: bytes) -> float:
    """The largest difference of a probability between onnxruntime and torch on sample positions."""
    import onnxruntime

    planes = feature_planes(checkpoint.spec.features, sample_positions(checkpoint.variant, _CHECKED))
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    answers = session.run(list(_OUTPUTS), {"planes": planes})
    with torch.inference_mode():
        expected = InferenceNetwork(checkpoint.network())(torch.from_numpy(planes))
    return max(float(np.abs(ours - theirs.numpy()).max()) for ours, theirs in zip(answers, expected, strict=True))


def export_onnx(checkpoint: Checkpoint, path: Path) -> float:
    """Write the model and return its `deviation`; nothing is written if that is over TOLERANCE."""
    for library in ("onnx", "onnxruntime"):  # torch would hide the lack of the first behind an error of its own
        importlib.import_module(library)
    model = to_onnx(checkpoint)
    difference = deviation(checkpoint, model)
    if difference > TOLERANCE:
        raise InvalidConfig(f"{path} not written: onnxruntime differs from torch by {difference:.1e}")
    write_atomically(path, model)
    return difference


def describe(checkpoint: Checkpoint, path: Path, difference: float) -> str:
    """A line on what was written, and one on how exact it is."""
    board, planes = checkpoint.variant, checkpoint.spec.planes
    return (
        f"{path}: {board}; planes [batch, {planes}, {board.height}, {board.width}]"
        f" -> priors [batch, {board.points}], chances [batch, {board.players + 1}]\n"
        f"onnxruntime differs from torch by {difference:.1e} at most\n"
    )
