"""Kernels compiled once, before the processes of a run start."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from actors.self_play.self_play import SelfPlay, SelfPlayConfig
from gobang.evaluators.network import make_evaluator
from gobang.evaluators.null import NullEvaluator
from gobang.features import feature_planes
from gobang.interfaces import Evaluator
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.search.trees.config import SearchConfig
from gobang.types import Variant
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.replay_pool import START
from learner.replay.window.samples import with_random_symmetry
from learner.replay.window.window import Window


class Settings(Protocol):
    """What a RunConfig says of self-play."""

    @property
    def game(self) -> Variant:
        """What is played."""

    @property
    def self_play(self) -> SelfPlayConfig:
        """How."""

    @property
    def network(self) -> NetworkSpec:
        """By what network."""

    @property
    def actors_answer(self) -> bool:
        """Whether it runs in kernels of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _AnySettings:
    """Kernels are the same for all games."""

    game: Variant = field(default_factory=lambda: Variant.square(5, k=4))
    self_play: SelfPlayConfig = field(default_factory=lambda: SelfPlayConfig(search=SearchConfig()))
    network: NetworkSpec = field(default_factory=NetworkSpec)
    actors_answer: bool = False


def compile_for_any_run() -> None:
    """What `gobang warm` compiles for training."""
    compile_kernels(_AnySettings())


def compile_kernels(config: Settings) -> None:
    """Play, store and draw a quick game here, so that the processes of a run need not compile at the same time."""
    random = np.random.default_rng(1)
    pool = MemoryPool(config.game)
    search = replace(config.self_play.search, simulations=2)
    quick = replace(config.self_play, search=search, games=2, cache_entries=64)
    self_play = SelfPlay(config.game, quick, _evaluator(config), pool, name="quick", seed=1)
    while not pool.counters().games:
        self_play.step()
    self_play.drain()
    window = Window(config.game, 10_000)
    window.extend(pool.read_since(START, 100).games)
    feature_planes(config.network.features, with_random_symmetry(window.sample(2, random), random).boards)


def _evaluator(config: Settings) -> Evaluator:
    """One without knowledge, unless the network runs in kernels of its own."""
    if not config.actors_answer:
        return NullEvaluator(config.game)
    return make_evaluator(fresh_checkpoint(config.network, config.game), config.game)
