"""Critics in files: safetensors with the weights, and what they were learned by as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from gobang.critic.network import Critic, critic_of
from gobang.errors import GobangError, InvalidCheckpoint
from gobang.files import MOST_CRITIC, read_file

BUILTIN: Final = Path(__file__).with_name("builtin.safetensors")
_KEY: Final = "gobang critic"
_WEIGHTS: Final = ("inward", "bias", "outward", "last_bias")


def critic_bytes(critic: Critic, features: str, origin: Mapping[str, object]) -> bytes:
    """The content of a critic's file, in half precision; `origin` says how it was made, for people."""
    weights = {name: getattr(critic, name).astype(np.float16) for name in _WEIGHTS}
    return save(weights, {_KEY: json.dumps({"features": features, **origin})})


def read_critic(path: Path) -> Critic:
    """Return the critic of a file; raise InvalidCheckpoint."""
    try:
        content = read_file(path, MOST_CRITIC)
        with safe_open(path, "numpy") as file:
            features = json.loads(file.metadata()[_KEY])["features"]
        weights = {name: weight.astype(np.float32) for name, weight in load(content).items()}
        critic = critic_of(features, **weights)
    except (OSError, SafetensorError, GobangError, KeyError, TypeError, ValueError) as error:
        raise InvalidCheckpoint(f"{path} holds no critic: {error}") from error
    _check(critic, path)
    return critic


def _check(critic: Critic, path: Path) -> None:
    size, hidden = critic.coding.size, critic.bias.size
    shapes = [getattr(critic, name).shape for name in _WEIGHTS]
    if shapes != [(size, hidden), (hidden,), (hidden,), (1,)]:
        raise InvalidCheckpoint(f"{path} holds no critic: its weights are {shapes}")
    if not all(np.isfinite(getattr(critic, name)).all() for name in _WEIGHTS):
        raise InvalidCheckpoint(f"{path} holds a weight that is no number")
