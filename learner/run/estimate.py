"""Estimates the time of a preset on this machine: the work that its settings ask for, over measured speeds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from gobang.bench.search import search_rates
from gobang.evaluators.network import make_evaluator
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.runtimes.backend import Backend
from gobang.network.runtimes.calibration import sample_positions
from learner.replay.pool.limiter import LimiterConfig
from learner.run.config import RunConfig
from learner.training.bench import random_samples
from learner.training.trainer import Trainer

SECONDS: Final = 0.5  # of each measurement
_GAMES: Final = 64  # in lock step


@dataclass(frozen=True, kw_only=True, slots=True)
class Speeds:
    """Of one core, or of the GPU where there is one, e.g. `Speeds(evaluations=20_000.0, ...)`."""

    evaluations: float  # positions per second that the network answers
    simulations: float  # per second, of the search alone
    samples: float  # per second, of training


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """The work of a preset until its learning rate has fallen, e.g. `Work(positions=500_000, ...)`."""

    positions: int
    simulations: int
    samples: int


def work_of(config: RunConfig) -> Work:
    """All samples at the limiter's reuse, and the simulations by which their positions are played."""
    samples = config.trainer.learning_rate.steps * config.learner.batch
    positions = _positions(config.replay.limiter, samples)
    starts = [*config.playouts.steps, (positions, 0)]
    simulations = sum(
        count * max(0, min(end, positions) - start)
        for (start, count), (end, _) in pairwise(starts)
        if start < positions
    )
    return Work(positions=positions, simulations=simulations, samples=samples)


def hours(work: Work, speeds: Speeds, *, cores: int, has_gpu: bool) -> float:
    """On CPUs everything shares the cores, but one process trains; a GPU does its part beside them."""
    training, evaluating = work.samples / speeds.samples, work.simulations / speeds.evaluations
    searching = work.simulations / speeds.simulations
    if has_gpu:
        return max(training + evaluating, searching / cores) / 3600
    return max(training, (training + evaluating + searching) / cores) / 3600


def measure(config: RunConfig, backend: Backend) -> Speeds:
    """One network on its board, for a second or two."""
    game = config.game
    evaluator = make_evaluator(
        fresh_checkpoint(config.network, game), game, backend=backend.name, precision=backend.precision
    )
    positions = sample_positions(game, _GAMES)
    trainer = Trainer(fresh_checkpoint(config.network, game).spec, replace(config.trainer, threads=1), seed=0)
    samples = random_samples(game, config.learner.batch, np.random.default_rng(0))
    search = search_rates(game, _GAMES, config.playouts.steps[-1][1], solver=True, algorithm="gumbel")
    return Speeds(
        evaluations=_GAMES * _per_second(lambda: evaluator.collect(evaluator.submit(positions))),
        simulations=search.per_s,
        samples=config.learner.batch * _per_second(lambda: trainer.step(samples)),
    )


def _positions(limiter: LimiterConfig, samples: int) -> int:
    """Number of positions that are played while this many `samples` are drawn."""
    early = limiter.early_positions * limiter.early_samples_per_position
    if samples <= early:
        return round(samples / limiter.early_samples_per_position)
    return limiter.early_positions + round((samples - early) / limiter.samples_per_position)


def _per_second(call: Callable[[], object]) -> float:
    call()  # the first is slow
    calls, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < SECONDS:
        call()
        calls += 1
    return calls / elapsed
