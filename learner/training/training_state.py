"""A training state on disk: a nested dict of numpy arrays and plain values, in one safetensors file.

The plain values stand as JSON in the file's metadata, with a SHA-256 over everything.  The file
appears whole or not at all, and reading it runs no code from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from gobang.disk import write_atomically
from gobang.errors import InvalidCheckpoint
from gobang.files import open_file

State = dict[str, Any]  # str -> State, numpy array, or what JSON can hold
FORMAT: Final = "gobang training state 1"
_ARRAY: Final = "array:"  # in JSON, before the name of an array


def save_training_state(path: Path, state: Mapping[str, Any]) -> None:
    """Write the state to `path`, in place of what was there; a crash leaves the old file or the new one."""
    arrays: dict[str, NDArray[Any]] = {}
    text = json.dumps(_take_arrays(state, "", arrays), allow_nan=False)
    write_atomically(path, save(arrays, {"format": FORMAT, "state": text, "sha256": _digest(text, arrays)}))


def load_training_state(path: Path) -> State:
    """Read what `save_training_state` wrote; InvalidCheckpoint if it is damaged, foreign or missing."""
    try:
        open_file(path).close()  # a pipe would wait for ever
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, ValueError, TypeError, LookupError, SafetensorError) as error:
        raise InvalidCheckpoint(f"{path}: no readable training state: {error}") from error
    if metadata.get("format") != FORMAT:
        raise InvalidCheckpoint(f"{path}: format {metadata.get('format')!r}, not {FORMAT!r}")
    text = metadata.get("state", "")
    if metadata.get("sha256") != _digest(text, arrays):
        raise InvalidCheckpoint(f"{path}: damaged: its SHA-256 is not that of its content")
    try:
        state = _put_arrays(json.loads(text), arrays)
    except (ValueError, LookupError, RecursionError) as error:  # a right digest proves no right content
        raise InvalidCheckpoint(f"{path}: no readable training state: {error}") from error
    if not isinstance(state, dict):
        raise InvalidCheckpoint(f"{path}: no training state")
    return state


def _take_arrays(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """The value with each array moved to `arrays` under its path, and that path in its place."""
    if isinstance(value, np.ndarray):
        arrays[name] = np.array(value, order="C")
        return _ARRAY + name
    if isinstance(value, Mapping):
        return {key: _take_arrays(item, f"{name}/{key}" if name else key, arrays) for key, item in value.items()}
    assert not (isinstance(value, str) and value.startswith(_ARRAY)), f"{name} is {value!r}"
    return value


def _put_arrays(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        return {key: _put_arrays(item, arrays) for key, item in value.items()}
    if isinstance(value, str) and value.startswith(_ARRAY):
        return arrays[value.removeprefix(_ARRAY)]
    return value


def _digest(text: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
