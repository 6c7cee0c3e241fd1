"""The trainer's needs of every architecture: it can be stepped, and goes on bit-identically from a state."""

import numpy as np
import pytest

from gobang.network.architectures.architecture import ARCHITECTURES, fit
from gobang.network.spec import NetworkSpec
from gobang.types import Variant
from learner.training.bench import random_samples
from learner.training.trainer import Trainer, TrainerConfig


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_step_is_the_same_after_a_restart(architecture: str) -> None:
    variant = Variant.square(8)
    spec = fit(NetworkSpec(architecture=architecture), variant)
    samples = random_samples(variant, 4, np.random.default_rng(0))
    trainer, resumed = (Trainer(spec, TrainerConfig(kl_every=2), seed=seed) for seed in (0, 1))
    assert trainer.step(samples).fault is None
    resumed.set_state(trainer.get_state())
    assert resumed.step(samples) == trainer.step(samples)
    assert all(
        np.array_equal(a, b) for a, b in zip(*(t.export_state().values() for t in (resumed, trainer)), strict=True)
    )
