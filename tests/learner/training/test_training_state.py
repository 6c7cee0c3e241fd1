import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from gobang.errors import InvalidCheckpoint
from learner.training.training_state import FORMAT, load_training_state, save_training_state

STATE = {
    "model": {"a/b.weight": np.arange(6, dtype=np.float32).reshape(2, 3).T, "count": np.array(7, np.int64)},
    "optimizer": {"a": {}},
    "rate": 0.1 + 0.2,
    "best": None,
    "random": np.random.default_rng(1).bit_generator.state,
}


def test_a_state_comes_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"
    save_training_state(path, STATE)
    state = load_training_state(path)
    weight, count = state["model"]["a/b.weight"], state["model"]["count"]
    assert (weight == STATE["model"]["a/b.weight"]).all()
    assert (weight.dtype, weight.shape, count.shape, count.item()) == (np.float32, (3, 2), (), 7)
    assert {key: state[key] for key in ("optimizer", "rate", "best", "random")} == {
        key: STATE[key] for key in ("optimizer", "rate", "best", "random")
    }


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"
    save_training_state(path, {"step": 1})
    with pytest.raises(ValueError, match="JSON"):
        save_training_state(path, {"step": float("nan")})
    save_training_state(tmp_path / "other", {"step": 2})
    assert load_training_state(path) == {"step": 1}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other", "state.safetensors"]


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"
    save_training_state(path, STATE)
    content = path.read_bytes()
    for length in range(0, len(content), 37):
        path.write_bytes(content[:length])
        with pytest.raises(InvalidCheckpoint, match="state"):
            load_training_state(path)


def test_no_flipped_bit_changes_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"
    save_training_state(path, {"weights": np.arange(50, dtype=np.float32), "step": 3})
    content = path.read_bytes()
    for bit in range(0, 8 * len(content), 11):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(InvalidCheckpoint):
            load_training_state(path)


def test_a_pipe_in_the_place_of_a_state_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "state.safetensors")
    load = f"from pathlib import Path; from {load_training_state.__module__} import load_training_state as load"
    command = [sys.executable, "-c", f"{load}; load(Path({str(tmp_path / 'state.safetensors')!r}))"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "InvalidCheckpoint" in done.stderr


def test_foreign_and_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidCheckpoint, match="absent"):
        load_training_state(tmp_path / "absent")
    save_file({"weight": np.zeros(3)}, tmp_path / "foreign")
    with pytest.raises(InvalidCheckpoint, match="format None, not 'gobang training state 1'"):
        load_training_state(tmp_path / "foreign")


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[1]", "3", '{"a": "array:missing"}', "1" * 5000])
def test_a_state_that_a_stranger_has_signed_is_refused(tmp_path: Path, text: str) -> None:
    """The SHA-256 shows damage; anybody can compute one."""
    path = tmp_path / "state.safetensors"
    metadata = {"format": FORMAT, "state": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    save_file({}, path, metadata)
    with pytest.raises(InvalidCheckpoint, match="training state"):
        load_training_state(path)
