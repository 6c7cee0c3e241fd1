"""A course of distillation: a pupil that learns lessons for a given time, and is asked those that were held back."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from gobang.evaluators.network import make_evaluator
from gobang.network.checkpoint import Checkpoint, save_checkpoint
from gobang.progress import Progress
from learner.distillation.agreement import Agreement, agreement
from learner.distillation.lessons import Lessons
from learner.replay.window.samples import with_random_symmetry
from learner.training.learning_rate import LearningRateConfig
from learner.training.losses import LossConfig
from learner.training.trainer import Trainer, TrainerConfig

_SECONDS_BETWEEN_SAVES: Final = 60.0
SETTINGS: Final = TrainerConfig(
    weight_decay=1e-5,
    average_decay=0.999,  # so that the rate need not fall towards an end that the clock decides
    kl_every=1 << 30,
    loss=LossConfig(result_share=0.0),
    learning_rate=LearningRateConfig(schedule="constant", peak=3e-3, warmup=100),
)


class Course:
    """A pupil, its lessons, and the file that it is written to."""

    def __init__(
        self, trainer: Trainer, lessons: Lessons, out: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._trainer = trainer
        self._lessons, self._held_back = lessons.split()
        self._out = out
        self._clock = clock

    def learn(self, seconds: float, batch: int, random: np.random.Generator) -> None:
        """Draw lessons and learn from them until the time is over, at least once."""
        progress = Progress(max(1, round(seconds)), sys.stderr, self._clock, unit="seconds")
        start = saved = self._clock()
        try:
            while True:
                self._step(batch, random)
                now = self._clock()
                progress.update(max(1, min(round(now - start), round(seconds))))
                if now - start >= seconds:
                    break
                if now - saved > _SECONDS_BETWEEN_SAVES:
                    self.save()
                    saved = now
        finally:
            progress.close()
        self.save()

    def save(self) -> None:
        """Write the pupil as far as it has come."""
        save_checkpoint(self._out, self._checkpoint())

    def examine(self) -> Agreement:
        """Ask what was held back."""
        checkpoint = self._checkpoint()
        return agreement(make_evaluator(checkpoint, checkpoint.variant, precision="fp32"), self._held_back)

    def _step(self, batch: int, random: np.random.Generator) -> None:
        drawn = self._lessons.part(random.integers(len(self._lessons), size=batch))
        self._trainer.step(with_random_symmetry(drawn.samples(), random))

    def _checkpoint(self) -> Checkpoint:
        trainer = self._trainer
        return Checkpoint(
            spec=trainer.spec,
            variant=self._lessons.boards.variant,
            tensors=trainer.export_state(),
            step=trainer.steps,
        )
