"""The command `gobang export`: a checkpoint as ONNX."""

from __future__ import annotations

import argparse
import sys

from gobang.errors import GobangError
from gobang.network.checkpoint import load_checkpoint
from gobang.network.export import describe, export_onnx


def run(arguments: argparse.Namespace) -> int:
    """Write the file."""
    checkpoint = load_checkpoint(arguments.checkpoint)
    try:
        difference = export_onnx(checkpoint, arguments.onnx)
    except OSError as error:
        raise GobangError(f"--onnx: {error}") from error
    sys.stdout.write(describe(checkpoint, arguments.onnx, difference))
    return 0
