import numpy as np

from gobang.evaluators.null import NullEvaluator
from gobang.evaluators.uniform import UniformEvaluator
from gobang.types import Variant
from learner.distillation.agreement import agreement
from learner.distillation.lessons import ask_teacher

VARIANT = Variant.square(5, k=4)


def test_a_teacher_agrees_with_itself_and_not_with_one_that_knows_nothing() -> None:
    teacher = NullEvaluator(VARIANT)
    lessons = ask_teacher(teacher, VARIANT, 1000, np.random.default_rng(1), lambda done: None)
    itself = agreement(teacher, lessons)
    assert abs(itself.policy) < 1e-3  # of shares that are kept in half precision
    assert (itself.chances, itself.same_move) == (0.0, 1.0)
    assert agreement(UniformEvaluator(VARIANT, seed=1), lessons).same_move < 0.9
