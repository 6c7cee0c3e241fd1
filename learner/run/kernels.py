"""Kernels compiled once, before the processes of a run start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from actors.self_play.self_play import SelfPlay
from gobang.evaluators.null import NullEvaluator
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.replay_pool import START
from learner.replay.window.ring import Ring
from learner.run.config import RunConfig


def compile_kernels(config: RunConfig) -> None:
    """Play and store a quick game here, so that kernels are compiled once and not by every process at the same time."""
    pool = MemoryPool(config.game)
    search = replace(config.self_play.search, simulations=2)
    quick = replace(config.self_play, search=search, games=2, cache_entries=64)
    self_play = SelfPlay(config.game, quick, NullEvaluator(config.game), pool, name="quick", seed=1)
    while not pool.counters().games:
        self_play.step()
    self_play.drain()
    ring = Ring(config.game, 10_000)
    ring.extend(pool.read_since(START, 100).games)
    ring.sample(2, np.random.default_rng(1))
