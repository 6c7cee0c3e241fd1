"""Networks run by torch, on a GPU where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gobang.network.checkpoint import Checkpoint
from gobang.network.runtimes.inference import InferenceNetwork
from gobang.network.runtimes.runtime import Answer

Outputs = tuple[Tensor, Tensor]  # priors [B, A] and chances [B, P + 1]


def best_device() -> torch.device:
    """CUDA before MPS before the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def has_bf16(device: torch.device) -> bool:
    """Whether the device computes with bfloat16 in hardware."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities = torch.cpu.get_capabilities()
    return device.type == "cpu" and any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))


class TorchRuntime:
    """Runs a network on a device; on the CPU `start` computes, on a GPU it only queues the work."""

    def __init__(
        self, checkpoint: Checkpoint, *, bf16: bool, threads: int = 1, device: torch.device | None = None
    ) -> None:
        self._device = device or best_device()
        self._type = torch.bfloat16 if bf16 else torch.float32
        self._threads = threads
        network = InferenceNetwork(checkpoint.network())
        network.to(device=self._device, dtype=self._type, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._run: Callable[[Tensor], Outputs] = CudaGraphs(network) if self._device.type == "cuda" else network

    def start(self, planes: NDArray[np.float32]) -> Outputs:
        """Compute, or queue on the GPU."""
        with torch.inference_mode(), threads_of_torch(self._threads):
            inputs = torch.from_numpy(planes)
            if self._device.type == "cuda":  # a copy from pinned memory goes on beside what the GPU computes
                inputs = inputs.pin_memory().to(self._device, non_blocking=True)
            return self._run(inputs.to(self._device, self._type, memory_format=torch.channels_last))

    def finish(self, pending: Outputs) -> Answer:
        """Wait for the GPU and copy to the host."""
        priors, chances = pending
        return priors.cpu().numpy(), chances.cpu().numpy()


class CudaGraphs:
    """Records the network's work once for each batch size, a power of two, and replays it in one launch.

    Smaller batches are padded.  Not tested on a GPU by our own suite, which runs on CPUs.
    """

    def __init__(self, network: Callable[[Tensor], Outputs]) -> None:
        self._network = network
        self._recorded: dict[int, tuple[torch.cuda.CUDAGraph, Tensor, Outputs]] = {}

    def __call__(self, planes: Tensor) -> Outputs:
        """Replay; the outputs are copies, as the next replay writes over the recorded ones."""
        count = len(planes)
        size = 1 << (count - 1).bit_length()
        if size not in self._recorded:
            self._recorded[size] = self._record(planes.new_zeros((size, *planes.shape[1:])))
        graph, inputs, (priors, chances) = self._recorded[size]
        inputs[:count].copy_(planes)
        graph.replay()
        return priors[:count].clone(), chances[:count].clone()

    def _record(self, inputs: Tensor) -> tuple[torch.cuda.CUDAGraph, Tensor, Outputs]:
        inputs = inputs.contiguous(memory_format=torch.channels_last)
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):  # libraries choose their algorithms before the recording
                self._network(inputs)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = self._network(inputs)
        return graph, inputs, outputs


@contextmanager
def threads_of_torch(count: int) -> Iterator[None]:
    """Compute with `count` threads, and leave the setting of the process as it was."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
