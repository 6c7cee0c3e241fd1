"""Choice of the library and the precision that run a network on this machine.

    torch     fp32, bf16         GPU or CPU
    openvino  fp32, bf16, int8   CPU; an architecture with a kernel of its own runs in that, in fp32
    null      no network: even priors, even chances

Libraries are imported when they are chosen.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gobang.errors import InvalidConfig
from gobang.network.architectures.architecture import ARCHITECTURES
from gobang.network.runtimes.runtime import Runtime
from gobang.types import Variant
from gobang.version import requirement

if TYPE_CHECKING:
    from gobang.network.checkpoint import Checkpoint

AUTO: Final = "auto"
KERNEL: Final = "openvino"  # the backend in whose place kernels of our own stand
PRECISIONS: Final = {"torch": ("fp32", "bf16"), "openvino": ("fp32", "bf16", "int8"), "null": ("fp32",)}
_GPU_DEVICES: Final = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of NVIDIA, AMD, and either under Windows


@dataclass(frozen=True, kw_only=True, slots=True)
class Backend:
    """The way in which networks are run, e.g. `Backend(name="openvino", precision="int8", threads=2)`."""

    name: str  # a key of PRECISIONS
    precision: str
    threads: int = 1
    batches: int = 1  # under way at once, which share the threads; only openvino has several

    def __str__(self) -> str:
        return f"{self.name} {self.precision}"


def make_runtime(checkpoint: Checkpoint, variant: Variant, backend: Backend) -> Runtime:
    """A checkpoint's network ready to run by itself, without positions and features."""
    if has_kernel(checkpoint.spec.architecture, backend.name):
        from gobang.network.runtimes.line_runtime import LineRuntime

        return LineRuntime(checkpoint, variant, threads=backend.threads, batches=backend.batches)
    if backend.name == "openvino":
        from gobang.network.runtimes.openvino_backend import OpenvinoRuntime

        return OpenvinoRuntime(
            checkpoint, variant, precision=backend.precision, threads=backend.threads, batches=backend.batches
        )
    from gobang.network.runtimes.torch_backend import TorchRuntime

    return TorchRuntime(checkpoint, bf16=backend.precision == "bf16", threads=backend.threads)


def has_kernel(architecture: str, backend: str) -> bool:
    """Whether a kernel of our own can run the network, in place of KERNEL and so cheaply that nobody need share it."""
    return backend in (AUTO, KERNEL) and ARCHITECTURES[architecture].has_kernel


def available_backends() -> list[str]:
    """The names that work on this machine."""
    return [name for name in PRECISIONS if name == "null" or find_spec(name)]


def choose_backend(name: str = AUTO, precision: str = AUTO, threads: int = 1) -> Backend:
    """Fill in what is `auto` for this machine, or raise InvalidConfig for what it cannot do."""
    if threads < 1:
        raise InvalidConfig(f"threads {threads}: at least 1")
    if name == AUTO:
        name = _fastest(precision)
    if name not in PRECISIONS:
        raise InvalidConfig(f"backend {name!r}: auto, {', '.join(PRECISIONS)}")
    if name not in available_backends():
        wanted = requirement("train" if name == "torch" else "")
        raise InvalidConfig(f"backend {name!r} is not installed: pip install '{wanted}'")
    if precision == AUTO:
        precision = _fastest_precision(name)
    if precision not in PRECISIONS[name]:
        raise InvalidConfig(f"precision {precision!r}: {name} has auto, {', '.join(PRECISIONS[name])}")
    return Backend(name=name, precision=precision, threads=threads)


def has_bf16(name: str) -> bool:
    """Whether a backend computes with bfloat16 in hardware here."""
    if name == "null":
        return False
    if name == "openvino":
        from gobang.network.runtimes import openvino_backend

        return openvino_backend.has_bf16()
    from gobang.network.runtimes import torch_backend

    return torch_backend.has_bf16(torch_backend.best_device())


def _fastest_precision(name: str) -> str:
    """int8 where there is one: in a match of 200 games it was worth as much as bf16."""
    if "int8" in PRECISIONS[name]:
        return "int8"
    return "bf16" if has_bf16(name) else "fp32"


def _fastest(precision: str) -> str:
    """torch on a GPU, openvino on a CPU; only openvino has int8."""
    if precision == "int8" or not _has_gpu():
        return "openvino"
    return "torch"


def _has_gpu() -> bool:
    """Whether torch would compute on a GPU; torch, which takes seconds to load, is asked where there may be one."""
    if sys.platform == "linux" and not any(Path(device).exists() for device in _GPU_DEVICES):
        return False
    if "torch" not in available_backends():
        return False
    from gobang.network.runtimes.torch_backend import best_device

    return best_device().type != "cpu"
