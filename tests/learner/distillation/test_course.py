"""A pupil comes nearer to its teacher, in a time that a clock of the test says."""

from itertools import count
from pathlib import Path

import numpy as np

from gobang.evaluators.network import make_evaluator
from gobang.network.checkpoint import load_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.players.trained import weights_file
from gobang.types import Variant
from learner.distillation.course import SETTINGS, Course
from learner.distillation.lessons import ask_teacher
from learner.training.trainer import Trainer

VARIANT = Variant.square(6, k=4)
PUPIL = NetworkSpec(architecture="line_net", features="two", options={"filters": 16})


def test_a_pupil_comes_nearer_to_its_teacher_until_the_time_is_over(tmp_path: Path) -> None:
    teacher = make_evaluator(weights_file("builtin-6x6"), VARIANT)
    lessons = ask_teacher(teacher, VARIANT, 5000, np.random.default_rng(1), lambda done: None)
    trainer = Trainer(PUPIL, SETTINGS, seed=1)
    course = Course(trainer, lessons, tmp_path / "pupil.safetensors", clock=map(float, count()).__next__)
    before = course.examine()
    course.learn(600.0, 64, np.random.default_rng(1))
    after = course.examine()
    assert trainer.steps < 600
    assert after.policy < 0.7 * before.policy
    assert after.chances < 0.7 * before.chances
    assert load_checkpoint(tmp_path / "pupil.safetensors", variant=VARIANT).step == trainer.steps
