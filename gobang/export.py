"""The command `gobang export`: a checkpoint as ONNX."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Final

from gobang.command_line import EXIT_FAILED
from gobang.commands import run_as_module
from gobang.errors import GobangError
from gobang.network.checkpoint import load_checkpoint
from gobang.network.export import describe, export_onnx


def run(arguments: argparse.Namespace) -> int:
    """Write the file; 0, or 1 with a message."""
    try:
        checkpoint = load_checkpoint(arguments.checkpoint)
        difference = export_onnx(checkpoint, arguments.onnx)
    except (GobangError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_FAILED
    sys.stdout.write(describe(checkpoint, arguments.onnx, difference))
    return 0


main: Final = partial(run_as_module, "export", run)

if __name__ == "__main__":
    sys.exit(main())
