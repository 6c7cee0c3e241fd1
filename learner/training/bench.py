"""Speed of training on this machine: `gobang bench train`.

Times the trainer's step in bf16 and in fp32, and bare loops: the same network and optimiser on
tensors made beforehand, without features, checks or reports.  `bare_bf16` shows what those cost,
`plain_fp32` is torch as it comes: fp32 in its default memory layout, where the others have
channels_last.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from gobang.network.architectures.architecture import fit
from gobang.network.presets import preset
from gobang.network.spec import NetworkSpec
from gobang.rules.position import Position, as_batch
from gobang.types import NO_MOVE, UNDECIDED, Variant
from learner.replay.window.samples import MIDDLE, Samples
from learner.training.trainer import Trainer, TrainerConfig, autocast


def random_samples(variant: Variant, size: int, random: np.random.Generator) -> Samples:
    """Positions from random games with random targets: of the right form, with nothing in them to learn."""
    positions = [_random_position(variant, random) for _ in range(size)]
    legal = np.stack([position.legal() for position in positions])
    policy = (random.random(legal.shape) * legal).astype(np.float32)
    result = random.integers(variant.players + 1, size=size)
    chances = np.eye(variant.players + 1, dtype=np.float32)[result]
    return Samples(
        boards=as_batch(positions),
        policy=policy / policy.sum(axis=1, keepdims=True),
        search_chances=chances,
        result_chances=chances,
        reply=np.full(size, NO_MOVE, np.int16),
        stage=np.full(size, MIDDLE, np.int16),
        weights_version=np.zeros(size, np.int32),
        weight=np.ones(size, np.float32),
    )


def _random_position(variant: Variant, random: np.random.Generator) -> Position:
    """An undecided position from a random game of up to half the board."""
    position = Position(variant)
    for _ in range(random.integers(variant.points // 2)):
        position.play(int(random.choice(np.flatnonzero(position.legal()))))
        if position.outcome != UNDECIDED:
            position.undo()
            break
    return position


def bare_step(trainer: Trainer, samples: Samples, *, channels_last: bool = True) -> Callable[[], None]:
    """The least that a step can be: forward, loss, backward, update, with the trainer's model and optimiser."""
    planes, targets = trainer.inputs(samples)
    if not channels_last:
        planes = planes.contiguous()
        for parameter in trainer.model.parameters():
            parameter.data = parameter.data.contiguous()

    def step() -> None:
        with autocast(trainer.device, trainer.precision):
            output = trainer.model(planes)
        policy = (targets.policy * output.policy.float().log_softmax(1)).sum(1).mean()
        chances = (targets.chances * output.chances.float().log_softmax(1)).sum(1).mean()
        trainer.optimizer.zero_grad()
        (-policy - chances).backward()
        trainer.optimizer.step()

    return step


def measure(variants: dict[str, Callable[[], object]], *, steps: int, repeats: int) -> dict[str, list[float]]:
    """Steps/s of each variant in each repeat; the variants take turns, so that a slow minute meets them all."""
    speeds: dict[str, list[float]] = {name: [] for name in variants}
    for step in variants.values():
        step()  # the first is slow: buffers, kernels
    for _ in range(repeats):
        for name, step in variants.items():
            start = time.perf_counter()
            for _ in range(steps):
                step()
            speeds[name].append(steps / (time.perf_counter() - start))
    return speeds


def summarise(speeds: dict[str, list[float]], batch: int) -> dict[str, float]:
    """Medians as positions/s, and the medians of the first variant's ratio to each other in the same repeat."""
    result = {f"{name}_positions_per_s": batch * statistics.median(values) for name, values in speeds.items()}
    first, *others = speeds
    for name in others:
        ratios = [ours / theirs for ours, theirs in zip(speeds[first], speeds[name], strict=True)]
        result[f"{first}_to_{name}"] = statistics.median(ratios)
    return result


def make_variants(spec: NetworkSpec, samples: Samples, *, threads: int) -> dict[str, Callable[[], object]]:
    """One step of each kind, by name; each has its own network."""

    def trainer(precision: str) -> Trainer:
        return Trainer(spec, TrainerConfig(precision=precision, threads=threads), seed=0)

    bf16, fp32 = trainer("bf16"), trainer("fp32")
    return {
        "bf16": lambda: bf16.step(samples),
        "fp32": lambda: fp32.step(samples),
        "bare_bf16": bare_step(trainer("bf16"), samples),
        "plain_fp32": bare_step(trainer("fp32"), samples, channels_last=False),
    }


def run(arguments: argparse.Namespace, variant: Variant) -> dict[str, float]:
    """Print and return the speeds."""
    samples = random_samples(variant, arguments.batch, np.random.default_rng(0))
    spec = fit(preset(arguments.network), variant)
    speeds = measure(
        make_variants(spec, samples, threads=arguments.threads), steps=arguments.steps, repeats=arguments.repeats
    )
    result = summarise(speeds, arguments.batch)
    print(f"{arguments.network}, {variant}, batch {arguments.batch}, {arguments.threads} threads")
    for name, values in speeds.items():
        low, high = arguments.batch * min(values), arguments.batch * max(values)
        print(f"  {name:10} {result[f'{name}_positions_per_s']:8.0f} positions/s  ({low:.0f} to {high:.0f})")
    print(f"  bf16 is {result['bf16_to_fp32']:.2f} x fp32, {result['bf16_to_plain_fp32']:.2f} x plain fp32")
    print(f"  and {result['bf16_to_bare_bf16']:.0%} of the bare loop in bf16")
    return {name: round(value, 3) for name, value in result.items()}
