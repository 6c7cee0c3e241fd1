"""The promises of every LearningRate."""

import json

import numpy as np
import pytest

from learner.training.learning_rate import KL_MOST, LearningRate, LearningRateConfig, make_learning_rate

CONFIGS = [
    LearningRateConfig(schedule="constant", peak=0.01, final=0.001, warmup=5, steps=40),
    LearningRateConfig(schedule="cosine", peak=0.01, final=0.001, warmup=5, steps=40),
    LearningRateConfig(schedule="plateau", peak=0.01, final=0.001, window=3),
    LearningRateConfig(schedule="plateau", peak=0.01, final=0.001, window=3, rise=1.5),
    LearningRateConfig(schedule="kl", peak=0.01, final=0.001, kl_target=0.01),
]
pytestmark = pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.schedule)


def run(learning_rate: LearningRate, start: int, stop: int) -> list[float]:
    """Rates over steps whose losses and KLs are the same in each run."""
    rates = []
    for step in range(start, stop):
        rates.append(learning_rate.rate())
        noise = np.random.default_rng(step).random(2)
        learning_rate.observe(loss=1 + noise[0], kl=0.03 * noise[1] if step % 2 else None)
    return rates


def test_rates_stay_within_bounds_and_change(config: LearningRateConfig) -> None:
    rates = run(make_learning_rate(config), 0, 60)
    assert all(0.0009 < rate <= config.peak * KL_MOST for rate in rates)
    assert len(set(rates)) > 2


def test_asking_twice_changes_nothing(config: LearningRateConfig) -> None:
    learning_rate = make_learning_rate(config)
    run(learning_rate, 0, 7)
    assert learning_rate.rate() == learning_rate.rate()


@pytest.mark.parametrize("stop", [0, 1, 17])
def test_state_passes_through_json_and_goes_on_the_same(config: LearningRateConfig, stop: int) -> None:
    learning_rate, resumed = make_learning_rate(config), make_learning_rate(config)
    run(learning_rate, 0, stop)
    resumed.set_state(json.loads(json.dumps(learning_rate.get_state())))
    assert run(resumed, stop, 40) == run(learning_rate, stop, 40)
