import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gobang.errors import InvalidCheckpoint, InvalidConfig
from gobang.evaluators.network import make_evaluator
from gobang.evaluators.null import NullEvaluator
from gobang.network.checkpoint import checkpoint_to_bytes, fresh_checkpoint, save_checkpoint
from gobang.network.runtimes.backend import Backend, available_backends, choose_backend
from gobang.network.runtimes.calibration import sample_positions
from gobang.network.spec import NetworkSpec
from gobang.types import Variant

VARIANT = Variant.square(6)
SPEC = NetworkSpec(architecture="mlp", options={"units": 8})


def exit_code(program: str) -> int:
    """That of a fresh interpreter."""
    root = Path(__file__).parents[3]
    return subprocess.run([sys.executable, "-c", program], cwd=root, check=False).returncode


def test_a_small_process_can_choose_and_wrap_without_torch() -> None:
    program = (
        "import sys\nfrom gobang.evaluators import cached, network\n"
        "from gobang.types import Variant\n"
        "cached.CachedEvaluator(network.make_evaluator(None, Variant(), backend='null'), Variant())\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert exit_code(program) == 0


def test_openvino_is_loaded_without_its_telemetry() -> None:
    program = (
        "import sys, gobang.network.runtimes.openvino_library as library\n"
        "assert library.ov.Core().available_devices\n"
        "sys.exit(any(name.startswith('openvino_telemetry') for name in sys.modules))"
    )
    assert exit_code(program) == 0


def test_all_backends_are_there_in_development() -> None:
    assert available_backends() == ["torch", "openvino", "null"]


def test_int8_is_openvino() -> None:
    assert choose_backend(precision="int8", threads=2) == Backend(name="openvino", precision="int8", threads=2)
    assert str(choose_backend("torch", "fp32")) == "torch fp32"


@pytest.mark.parametrize(("name", "extra"), [("openvino", "gobang-zero"), ("torch", r"gobang-zero\[train\]")])
def test_a_backend_that_is_not_installed_says_what_brings_it(
    name: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gobang.network.runtimes.backend.available_backends", lambda: ["null"])
    with pytest.raises(InvalidConfig, match=f"backend '{name}' is not installed: pip install '{extra}'"):
        choose_backend(name)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"backend": "tensorflow"}, "'tensorflow': auto, torch, openvino, null"),
        ({"backend": "torch", "precision": "int8"}, "'int8': torch has auto, fp32, bf16"),
        ({"precision": "fp64"}, "'fp64'"),
        ({"threads": 0}, "threads 0"),
    ],
)
def test_mistakes_name_the_value(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        make_evaluator(fresh_checkpoint(SPEC, VARIANT), VARIANT, **settings)  # type: ignore[arg-type]


def test_only_null_needs_no_checkpoint() -> None:
    assert isinstance(make_evaluator(None, VARIANT, backend="null"), NullEvaluator)
    with pytest.raises(InvalidConfig, match="needs a checkpoint"):
        make_evaluator(None, VARIANT, backend="torch")


def test_a_checkpoint_comes_as_object_file_or_bytes(tmp_path: Path) -> None:
    checkpoint = fresh_checkpoint(SPEC, VARIANT)
    save_checkpoint(tmp_path / "w.safetensors", checkpoint)
    for source in (checkpoint, tmp_path / "w.safetensors", checkpoint_to_bytes(checkpoint)):
        assert make_evaluator(source, VARIANT, backend="torch").version == 0


def test_weights_of_another_game_are_refused_and_the_old_ones_stay() -> None:
    other = fresh_checkpoint(SPEC, Variant.square(7))
    with pytest.raises(InvalidCheckpoint, match="not for 6x6"):
        make_evaluator(other, VARIANT, backend="torch")
    evaluator = make_evaluator(fresh_checkpoint(SPEC, VARIANT), VARIANT, backend="torch")
    with pytest.raises(InvalidCheckpoint, match="not for 6x6"):
        evaluator.update(other)
    assert evaluator.version == 0


def test_batches_under_way_at_once_are_answered_as_alone() -> None:
    checkpoint = fresh_checkpoint(SPEC, VARIANT)
    evaluator = make_evaluator(checkpoint, VARIANT, backend="openvino", precision="fp32", threads=2, batches=2)
    batches = [sample_positions(VARIANT, 32, seed=seed) for seed in range(4)]
    alone = [evaluator.collect(evaluator.submit(batch)).priors for batch in batches]
    tickets = [evaluator.submit(batch) for batch in batches]
    for ticket, expected in zip(tickets, alone, strict=True):
        np.testing.assert_array_equal(evaluator.collect(ticket).priors, expected)
