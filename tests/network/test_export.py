import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from gobang.cli import main
from gobang.network import export
from gobang.network.checkpoint import fresh_checkpoint, load_checkpoint, save_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.types import Variant


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "best.safetensors"
    spec = NetworkSpec(options={"blocks": 1, "filters": 8})
    save_checkpoint(path, fresh_checkpoint(spec, Variant(height=5, width=7)))
    return path


def test_the_command_writes_a_checked_model(weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = weights.with_suffix(".onnx")
    assert main(["export", str(weights), "--onnx", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "planes [batch, 4, 5, 7] -> priors [batch, 35], chances [batch, 3]" in printed
    graph = onnx.load(out).graph
    assert [entry.name for entry in (*graph.input, *graph.output)] == ["planes", "priors", "chances"]


def test_half_precision_halves_the_file_and_hardly_changes_the_weights(
    weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = weights.with_name("half.safetensors")
    assert main(["export", str(weights), "--half", str(out)]) == 0
    assert "half.safetensors: 0.0 MB" in capsys.readouterr().out
    before, after = load_checkpoint(weights), load_checkpoint(out)
    assert (after.spec, after.variant, after.version) == (before.spec, before.variant, before.version)
    assert out.stat().st_size < 0.8 * weights.stat().st_size  # the header does not shrink
    for name, array in before.tensors.items():
        assert after.tensors[name].dtype == array.dtype
        np.testing.assert_allclose(after.tensors[name], array, rtol=1e-3, atol=1e-6)


def test_a_weight_too_large_for_half_precision_is_refused(weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint = load_checkpoint(weights)
    name = next(name for name, array in checkpoint.tensors.items() if array.dtype == np.float32)
    large = {**checkpoint.tensors, name: np.full_like(checkpoint.tensors[name], 1e5)}
    save_checkpoint(weights, replace(checkpoint, tensors=large))
    out = weights.with_name("half.safetensors")
    with pytest.raises(SystemExit, match="2"):
        main(["export", str(weights), "--half", str(out)])
    assert f"{name} holds a value that is not finite" in capsys.readouterr().err
    assert not out.exists()


def test_a_wrong_model_is_not_written(
    weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = export.to_onnx(fresh_checkpoint(NetworkSpec(options={"blocks": 2}), Variant(height=5, width=7)))
    monkeypatch.setattr(export, "to_onnx", lambda checkpoint: right)  # of other weights
    out = weights.with_suffix(".onnx")
    with pytest.raises(SystemExit, match="2"):
        main(["export", str(weights), "--onnx", str(out)])
    assert "onnxruntime differs from torch by" in capsys.readouterr().err
    assert not out.exists()


def test_a_missing_file_is_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["export", str(tmp_path / "none"), "--onnx", str(tmp_path / "out")])
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize("library", ["onnx", "onnxruntime"])
def test_missing_libraries_are_named(
    library: str, weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SystemExit, match="2"):
        main(["export", str(weights), "--onnx", str(weights.with_suffix(".onnx"))])
    assert capsys.readouterr().err.endswith(
        f"this needs {library}, which is not installed: pip install 'gobang-zero[onnx]'\n"
    )
