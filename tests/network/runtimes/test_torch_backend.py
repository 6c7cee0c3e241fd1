from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from gobang.network.architectures.architecture import build
from gobang.network.runtimes.inference import InferenceNetwork
from gobang.network.runtimes.torch_backend import CudaGraphs, has_bf16
from gobang.network.spec import NetworkSpec


def test_no_batch_norm_stays() -> None:
    network = InferenceNetwork(build(NetworkSpec(options={"blocks": 2, "filters": 8})))
    assert not [module for module in network.modules() if isinstance(module, torch.nn.BatchNorm2d)]


def test_folding_leaves_the_original_alone() -> None:
    original = build(NetworkSpec(options={"blocks": 1, "filters": 8})).eval()
    before = {name: tensor.clone() for name, tensor in original.state_dict().items()}
    InferenceNetwork(original)
    after = original.state_dict()
    assert after.keys() == before.keys()
    assert all(torch.equal(tensor, before[name]) for name, tensor in after.items())


def test_bf16_is_left_to_devices_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for capabilities, expected in (({"avx512_bf16": True}, True), ({"bf16": True}, True), ({"avx2": True}, False)):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda capabilities=capabilities: capabilities)
        assert has_bf16(torch.device("cpu")) is expected
    assert not has_bf16(torch.device("mps"))


class Recorder:
    """Stands for a network, and for the graph that replays it into the tensors of the recording."""

    def __init__(self) -> None:
        self.recordings: list[tuple[Tensor, Tensor]] = []

    def __call__(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        self.recordings.append((planes, torch.zeros(len(planes))))
        return self.recordings[-1][1], self.recordings[-1][1]

    def make_graph(self) -> SimpleNamespace:
        index = len(self.recordings)
        return SimpleNamespace(replay=lambda: self._replay(index))

    def _replay(self, index: int) -> None:
        inputs, outputs = self.recordings[index]
        outputs.copy_(inputs.sum(dim=(1, 2, 3)))


def test_cuda_graphs_pad_to_a_power_of_two_and_copy_out(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Recorder()
    stream = SimpleNamespace(wait_stream=lambda other: None)
    monkeypatch.setattr(torch.cuda, "Stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: nullcontext())
    monkeypatch.setattr(torch.cuda, "graph", lambda graph: nullcontext())
    monkeypatch.setattr(torch.cuda, "CUDAGraph", network.make_graph)
    run = CudaGraphs(network)
    batches = [torch.full((size, 1, 2, 2), float(size)) for size in (5, 8, 1, 7)]
    answers = [run(batch)[0] for batch in batches]
    for batch, answer in zip(batches, answers, strict=True):
        torch.testing.assert_close(answer, batch.sum(dim=(1, 2, 3)))
    assert {len(inputs) for inputs, _ in network.recordings} == {8, 1}
