import pytest
import torch

from gobang.bench.network import PLAIN, inference_speeds, machine_backends
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.runtimes.backend import Backend
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

VARIANT = Variant.square(6)


def test_every_combination_is_measured_and_compared() -> None:
    torch.set_num_threads(1)
    checkpoint = fresh_checkpoint(NetworkSpec(architecture="mlp", options={"units": 8}), VARIANT)
    backends = [PLAIN, Backend(name="torch", precision="fp32")]
    speeds = inference_speeds(
        checkpoint, VARIANT, backends=backends, batches=(1, 8), threads=(1,), repeats=2, seconds=0.001
    )
    assert [(speed.backend, speed.batch) for speed in speeds] == [
        ("plain torch fp32", 1),
        ("plain torch fp32", 8),
        ("torch fp32", 1),
        ("torch fp32", 8),
    ]
    for batch in (1, 8):
        of_best = [speed.of_best for speed in speeds if speed.batch == batch]
        assert max(of_best) == 1.0
        assert min(of_best) > 0
    assert all(speed.bare.median > 0 and speed.share > 0 and speed.refresh > 0 for speed in speeds)
    assert torch.get_num_threads() == 1


def test_the_machine_has_plain_torch_and_int8() -> None:
    names = [str(backend) for backend in machine_backends()]
    assert names[0] == "plain torch fp32"
    assert {"torch fp32", "openvino fp32", "openvino int8"} <= set(names)


@pytest.mark.parametrize("threads", [1, 2])
def test_torch_leaves_the_processes_threads_alone(threads: int) -> None:
    torch.set_num_threads(1)
    checkpoint = fresh_checkpoint(NetworkSpec(architecture="mlp", options={"units": 8}), VARIANT)
    (speed,) = inference_speeds(
        checkpoint,
        VARIANT,
        backends=[Backend(name="torch", precision="fp32")],
        batches=(1,),
        threads=(threads,),
        repeats=1,
        seconds=0.001,
    )
    assert (speed.threads, torch.get_num_threads()) == (threads, 1)
