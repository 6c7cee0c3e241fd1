"""The command `gobang export`: a checkpoint as ONNX, or in half precision."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gobang.disk import write_atomically
from gobang.errors import GobangError
from gobang.network.checkpoint import checkpoint_to_bytes, load_checkpoint


def run(arguments: argparse.Namespace) -> int:
    """Write the file."""
    option, write = ("--onnx", _write_onnx) if arguments.onnx else ("--half", _write_half)
    try:
        sys.stdout.write(write(arguments.checkpoint, arguments.onnx or arguments.half))
    except OSError as error:
        raise GobangError(f"{option}: {error}") from error
    return 0


def _write_onnx(weights: Path, out: Path) -> str:
    from gobang.network.export import describe, export_onnx  # needs packages that --half does not

    checkpoint = load_checkpoint(weights)
    difference = export_onnx(checkpoint, out)
    return describe(checkpoint, out, difference)


def _write_half(weights: Path, out: Path) -> str:
    content = checkpoint_to_bytes(load_checkpoint(weights), half=True)
    write_atomically(out, content)
    return f"{out}: {len(content) / 1e6:.1f} MB\n"
