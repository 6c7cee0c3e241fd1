from dataclasses import replace

import numpy as np
import pytest

from gobang.network.spec import NetworkSpec
from gobang.types import NO_MOVE, Variant
from learner.replay.window.samples import Samples
from learner.training.bench import random_samples


@pytest.fixture
def spec() -> NetworkSpec:
    return NetworkSpec(options={"blocks": 1, "filters": 8, "head_filters": 4, "value_units": 8}, reply_head=True)


@pytest.fixture
def samples() -> Samples:
    """Sixteen positions on 5x5; some have a reply, stages and weights differ."""
    random = np.random.default_rng(1)
    batch = random_samples(Variant.square(5, k=4), 16, random)
    reply = np.where(random.random(16) < 0.3, NO_MOVE, random.integers(25, size=16)).astype(np.int16)
    return replace(
        batch,
        reply=reply,
        stage=random.integers(3, size=16).astype(np.int16),
        weight=random.random(16).astype(np.float32) + 0.5,
    )
