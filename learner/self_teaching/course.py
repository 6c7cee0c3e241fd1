"""A course of self-teaching: what is asked for, what has become of it, and the file from which it goes on.

The file holds all that the next game depends on, so a course that was broken off ends as it would have without.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from gobang.critic.network import Critic, critic_of, new_critic
from gobang.disk import write_atomically
from gobang.errors import InvalidCheckpoint, InvalidConfig
from gobang.files import MOST_WEIGHTS, read_file
from gobang.types import Variant
from learner.self_teaching.games import Lesson, Store, new_store, new_table, play_and_learn

_KEY: Final = "gobang course"
_WEIGHTS: Final = ("inward", "bias", "outward", "last_bias")


@dataclass(frozen=True, kw_only=True, slots=True)
class CourseConfig:
    """What decides a course, e.g. `CourseConfig(features="small", replay=False, values="states", ...)`."""

    variant: Variant
    features: str
    replay: bool
    values: Literal["states", "actions"]
    epsilon: float
    rate: float  # of a step, in the first game
    halving: int  # games after which the rate is half of that
    seed: int

    def __post_init__(self) -> None:
        if self.variant.players != 2:
            raise InvalidConfig(f"players {self.variant.players}: a critic knows two")
        if not 0 <= self.epsilon <= 1:
            raise InvalidConfig(f"epsilon {self.epsilon}: 0 to 1")
        if not 0 < self.rate <= 1:
            raise InvalidConfig(f"rate {self.rate}: above 0, at most 1")
        if self.halving < 1:
            raise InvalidConfig(f"halving {self.halving}: 1 or more")
        if self.seed < 0:
            raise InvalidConfig(f"seed {self.seed}: 0 or more")


class Course:
    """A critic that plays and learns.

    course = Course(config)
    course.play(100)
    course.save(path)
    course = resumed(path, config)
    """

    def __init__(
        self, config: CourseConfig, critic: Critic, store: Store, random: NDArray[np.uint64], games: int
    ) -> None:
        self.config = config
        self.critic = critic
        self.games = games
        self._store = store
        self._random = random
        self._table = new_table(config.variant, random)
        self._lesson = Lesson(
            replay=config.replay,
            actions=config.values == "actions",
            epsilon=config.epsilon,
            first_rate=config.rate,
            halving=float(config.halving),
            rate=np.zeros(1),
        )

    def play(self, games: int) -> None:
        """Play so many games more."""
        play_and_learn(self._table, self.critic, self._store, self._lesson, self.games, games)
        self.games += games

    def save(self, path: Path) -> None:
        """Write all that the next game depends on, in one step."""
        held = int(self._store.held[0])
        tensors = {
            **{name: getattr(self.critic, name) for name in _WEIGHTS},
            **{name: getattr(self._store, name)[:held] for name in ("counts", "to_move", "result")},
            "random": self._random,
        }
        said = {"config": asdict(self.config), "games": self.games}
        write_atomically(path, save(tensors, {_KEY: json.dumps(said)}))


def begun(config: CourseConfig) -> Course:
    """A course with a critic that has learned nothing."""
    random = np.array([2 * config.seed + 1], np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return Course(config, new_critic(config.features, config.seed), new_store(), random, 0)


def resumed(path: Path, config: CourseConfig) -> Course:
    """The course of a file, which must be of the same config; raises InvalidCheckpoint or InvalidConfig."""
    try:
        tensors = load(read_file(path, MOST_WEIGHTS))
        with safe_open(path, "numpy") as file:
            said = json.loads(file.metadata()[_KEY])
        critic = critic_of(config.features, **{name: tensors[name].copy() for name in _WEIGHTS})
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise InvalidCheckpoint(f"{path} holds no course: {error}") from error
    for name, asked in asdict(config).items():
        if said["config"][name] != asked:
            raise InvalidConfig(f"{path} was begun with {name} {said['config'][name]}, not {asked}")
    return Course(config, critic, _filled(tensors), tensors["random"].copy(), int(said["games"]))


def _filled(tensors: dict[str, NDArray[np.generic]]) -> Store:
    """A store with the transitions of a file."""
    store = new_store()
    held = len(tensors["result"])
    for name in ("counts", "to_move", "result"):
        getattr(store, name)[:held] = tensors[name]
    store.held[0] = held
    return store
