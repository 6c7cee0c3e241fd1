"""What is promised of a GPU, where torch sees one: the same answers, faster, and a minute of training."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from gobang.bench.network import inference_speeds
from gobang.evaluators.batch_size import best_size, rates
from gobang.evaluators.network import make_evaluator
from gobang.features import feature_planes
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.presets import preset
from gobang.network.runtimes.backend import Backend, choose_backend
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.runtimes.torch_backend import TorchRuntime, best_device, has_bf16
from gobang.types import Variant
from tests.docs.pages import ROOT
from tests.integration.launched import Launched

DEVICE = best_device()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(DEVICE.type == "cpu", reason="torch sees neither CUDA nor MPS on this machine"),
]
CONTRACTS = ("tests/contracts/test_evaluator.py", "tests/network/runtimes", "tests/learner/training/test_trainer.py")
VARIANT = Variant.square(8)


def test_what_holds_on_cpus_holds_here() -> None:
    command = [sys.executable, "-m", "pytest", *CONTRACTS, "-k", "torch or trainer"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=1800)


@pytest.mark.parametrize("bf16", [False, True] if has_bf16(DEVICE) else [False])
@pytest.mark.parametrize("batch", [1, 5, 64, 1000])
def test_answers_are_those_of_the_cpu(batch: int, bf16: bool) -> None:
    checkpoint = fresh_checkpoint(preset("gobang_4x64"), VARIANT)
    planes = feature_planes(checkpoint.spec.features, sample_positions(VARIANT, batch, seed=batch))
    here, there = (TorchRuntime(checkpoint, bf16=bf16, device=device) for device in (DEVICE, torch.device("cpu")))
    under_way = [here.start(planes), here.start(planes)]
    expected = there.finish(there.start(planes))
    for pending in under_way:
        for mine, its in zip(here.finish(pending), expected, strict=True):
            np.testing.assert_allclose(mine, its, atol=3e-2 if bf16 else 1e-3)


def test_the_gpu_is_chosen_and_large_batches_pay() -> None:
    backend = choose_backend()
    assert backend.name == "torch"
    evaluator = make_evaluator(fresh_checkpoint(preset("gobang_4x64"), VARIANT), VARIANT, backend="torch")
    measured = rates(evaluator, VARIANT)
    print(f"\n{DEVICE}, {backend}, positions/s by batch: {measured}")
    assert best_size(measured) > 64


def test_the_gpu_is_faster_than_one_thread_of_the_cpu() -> None:
    checkpoint = fresh_checkpoint(preset("gobang_4x64"), VARIANT)
    backends = [Backend(name="torch", precision="fp32"), Backend(name="openvino", precision="fp32")]
    gpu, cpu = inference_speeds(checkpoint, VARIANT, backends=backends, batches=(1024,), threads=(1,))
    print(f"\ngobang_4x64, batch 1024: {gpu.evaluator.median:,.0f} positions/s; on the CPU {cpu.evaluator.median:,.0f}")
    assert gpu.evaluator.median > cpu.evaluator.median


def test_a_minute_of_training(tmp_path: Path) -> None:
    launched = Launched(tmp_path / "run", "--preset", "5x5", "--minutes", "3", "--set", "dashboard=false")
    try:
        values = launched.wait_for(lambda values: values.get("version", 0) >= 2, seconds=300)
        assert values["loss"] > 0
        assert launched.end() == 0, launched.output + launched.log()
    finally:
        launched.kill()
    if DEVICE.type == "cuda":  # Ray gives the server the other half of a CUDA device
        assert "batches of up to" in launched.log()
    assert str(DEVICE) in str(launched.summary())
