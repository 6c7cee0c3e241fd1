"""What this machine offers, how fast it is, and how long each preset takes here: `python -m learner.doctor`.

The hours are an estimate from short measurements on one core: every simulation is taken to cost an
evaluation, which the cache and proven positions undercut, and the evaluator's matches cost nothing,
which is too little.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from gobang.bench.search import search_rates
from gobang.errors import GobangError
from gobang.evaluators.network import make_evaluator
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.runtimes.backend import Backend, available_backends, choose_backend, has_bf16
from gobang.network.runtimes.calibration import sample_positions
from gobang.settings import load_preset, preset_names, read_settings
from learner.replay.pool.limiter import LimiterConfig
from learner.replay.pool.redis_server import find_redis_server
from learner.run.config import RunConfig
from learner.run.machine import cores_here, machine_name
from learner.training.bench import random_samples
from learner.training.trainer import Trainer, find_device
from learner.watching.progress import duration

SECONDS: Final = 0.5  # of each measurement
_GAMES: Final = 64  # in lock step
_LEFT_OUT: Final = ("tiny", "paper8x8")  # for tests, and for comparisons


@dataclass(frozen=True, kw_only=True, slots=True)
class Speeds:
    """Of one core, or of the GPU where there is one, e.g. `Speeds(evaluations=20_000.0, ...)`."""

    evaluations: float  # positions per second that the network answers
    simulations: float  # per second, of the search alone
    samples: float  # per second, of training


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """What a preset asks for until its learning rate has fallen, e.g. `Work(positions=500_000, ...)`."""

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


def machine() -> list[str]:
    """Lines about what is here."""
    return [
        f"machine   {machine_name()}",
        f"software  Python {platform.python_version()} on {platform.system()}, {_redis()}",
        f"backends  {', '.join(available_backends())}; bf16 in hardware: {'yes' if has_bf16('torch') else 'no'}",
    ]


def report(names: Sequence[str]) -> list[str]:
    """A line for each preset, measured."""
    has_gpu, backend = find_device("auto").type != "cpu", choose_backend()
    lines = [
        f"network by {backend}; per core{' or GPU' if has_gpu else ''} and second",
        f"{'preset':8}{'evaluations':>12}{'simulations':>12}{'samples':>9}{'steps':>10}{'positions':>12}  time",
    ]
    for name in names:
        config = read_settings(RunConfig(), load_preset(name))
        speeds, work = measure(config, backend), work_of(config)
        time_needed = hours(work, speeds, cores=cores_here(), has_gpu=has_gpu)
        lines.append(
            f"{name:8}{speeds.evaluations:12,.0f}{speeds.simulations:12,.0f}{speeds.samples:9,.0f}"
            f"{config.trainer.learning_rate.steps:10,}{work.positions:12,}  {duration(3600 * time_needed)}"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is here, then measure and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m learner.doctor", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    for part in (machine, lambda: report([name for name in preset_names() if name not in _LEFT_OUT])):
        sys.stdout.write("\n".join(part()) + "\n\n")
        sys.stdout.flush()
    return 0


def _positions(limiter: LimiterConfig, samples: int) -> int:
    """How many are played while so many samples are drawn."""
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


def _redis() -> str:
    try:
        return f"redis-server at {find_redis_server()}"
    except GobangError as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main())
