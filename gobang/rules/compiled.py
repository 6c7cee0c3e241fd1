"""The one place that compiles: the `kernel` decorator, its cache on disk, and bit instructions.

Numba notices a change in a cached function's own file, but not in the functions which that one
calls in other files.  So the cache folder carries a digest of all kernel sources: after any change
to one of them everything is compiled anew, once.  A kernel must not call itself, directly or in a
ring: a cached recursive function crashes when it is loaded again (numba 0.68).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered and NaN does not occur, so loops become vector code; infinities do occur.
FAST_MATH = {"nnan", "nsz", "reassoc", "contract", "arcp"}


def kernel(function: Function) -> Function:
    """Compile on first use, cache on disk, release the GIL while running."""
    compile_later = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_MATH)
    return cast(Function, compile_later(function))


def _cache_folder() -> Path:
    sources = sorted(Path(__file__).parents[1].glob("*/*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources if _has_kernels(path)))
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    base = Path(home) if home else Path.home() / ".cache"
    folder = base / "gobang" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass  # a read-only home, as in some containers
    return Path(tempfile.gettempdir()) / "gobang-kernels" / digest.hexdigest()[:16]


def _has_kernels(path: Path) -> bool:
    return path.parent.name in ("rules", "search")


numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]


@intrinsic
def lowest_bit(context: Any, word: Any) -> Any:
    """Index of the lowest set bit of a uint32 that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint32(types.uint32), generate


@intrinsic
def count_bits(context: Any, word: Any) -> Any:
    """How many bits of a uint32 are set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint32(types.uint32), generate


@kernel
def seed_random(seed: int) -> None:
    """Seed numba's own generator of the calling thread."""
    np.random.seed(seed)
