"""The command `doctor`: describes this machine, measures it, and estimates the hours of each preset."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from typing import Final

from gobang.errors import GobangError
from gobang.evaluators.batch_size import USUAL, best_size, rates
from gobang.evaluators.network import make_evaluator
from gobang.machine import cores_here
from gobang.network.checkpoint import fresh_checkpoint
from gobang.network.runtimes.backend import available_backends, choose_backend, has_bf16
from gobang.progress import duration
from learner.replay.pool.redis_program import find_redis_server
from learner.run.config import read_config
from learner.run.estimate import hours, measure, work_of
from learner.run.machine import machine_name
from learner.run.presets import DEFAULT_PRESET, load_preset, preset_names
from learner.training.trainer import find_device

_LEFT_OUT: Final = ("tiny", "paper5x5", "paper8x8", "paper11x11")  # for tests, and for comparisons


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
        config = read_config(load_preset(name))
        speeds, work = measure(config, backend), work_of(config)
        lead_in = config.lead_in.minutes / 60 if config.lead_in.settings else 0.0
        time_needed = lead_in + hours(work, speeds, cores=cores_here(), has_gpu=has_gpu)
        lines.append(
            f"{name:8}{speeds.evaluations:12,.0f}{speeds.simulations:12,.0f}{speeds.samples:9,.0f}"
            f"{config.trainer.learning_rate.steps:10,}{work.positions:12,}  {duration(3600 * time_needed)}"
        )
    return lines


def batches(preset: str = DEFAULT_PRESET) -> list[str]:
    """Positions per second by the size of batches, and the size that an inference server takes."""
    config, backend = read_config(load_preset(preset)), choose_backend()
    checkpoint = fresh_checkpoint(config.network, config.game)
    evaluator = make_evaluator(checkpoint, config.game, backend=backend.name, precision=backend.precision)
    measured = rates(evaluator, config.game)
    chosen = best_size(measured) if find_device("auto").type != "cpu" else USUAL
    return [
        f"positions/s of {preset} by batch, {backend}, one thread; a run takes up to {chosen}",
        "  ".join(f"{size:>7}" for size in measured),
        "  ".join(f"{rate:7,.0f}" for rate in measured.values()),
    ]


def run() -> int:
    """Print what is here, then measure and print the tables."""
    for part in (machine, lambda: report([name for name in preset_names() if name not in _LEFT_OUT]), batches):
        sys.stdout.write("\n".join(part()) + "\n\n")
        sys.stdout.flush()
    return 0


def _redis() -> str:
    try:
        return str(find_redis_server())
    except GobangError as error:
        return str(error)
