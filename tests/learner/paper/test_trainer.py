from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gobang.evaluators.null import NullEvaluator
from learner.paper.config import PaperConfig
from learner.paper.games import play_games
from learner.paper.trainer import KL_TARGET, STEPS, PaperTrainer
from learner.paper.window import Newest
from learner.replay.window.samples import Samples
from tests.learner.paper.small import SMALL


@pytest.fixture(scope="module")
def samples() -> Samples:
    newest = Newest(SMALL.game, 500, augment=True)
    for game in play_games(SMALL, NullEvaluator(SMALL.game), 8, 6, np.random.default_rng(1)).games:
        newest.extend(game.samples())
    return newest.draw(32, np.random.default_rng(1))


def rates(config: PaperConfig, samples: Samples, updates: int) -> list[float]:
    trainer = PaperTrainer(config)
    return [trainer.learn(samples).learning_rate for _ in range(updates)]


def test_an_update_stops_early_at_four_times_the_target(samples: Samples) -> None:
    wild = PaperTrainer(replace(SMALL, rate=1.0)).learn(samples)
    assert wild.steps < STEPS
    assert wild.kl > 4 * KL_TARGET
    assert PaperTrainer(replace(SMALL, rate=1e-6)).learn(samples).steps == STEPS


def test_the_multiplier_is_tested_before_it_is_changed(samples: Samples) -> None:
    """It ends at 1.5 to the power of 6, 11.4, not at 10."""
    slow = rates(replace(SMALL, rate=1e-9), samples, 10)
    assert slow[:2] == [1e-9, pytest.approx(1.5e-9)]
    assert slow[-1] == slow[-2] == pytest.approx(1.5**6 * 1e-9)
    fast = rates(replace(SMALL, rate=1.0), samples, 2)
    assert fast[1] == pytest.approx(1 / 1.5)


def test_the_loss_falls(samples: Samples) -> None:
    trainer = PaperTrainer(SMALL)
    losses = [trainer.learn(samples).loss for _ in range(40)]
    assert losses[-1] < losses[0] - 0.3


def test_its_state_goes_on_bit_for_bit(samples: Samples) -> None:
    one, other = PaperTrainer(SMALL), PaperTrainer(replace(SMALL, seed=2))
    one.learn(samples)
    other.set_state(one.get_state())
    assert one.learn(samples) == other.learn(samples)
    assert all(np.array_equal(array, other.weights()[name]) for name, array in one.weights().items())
