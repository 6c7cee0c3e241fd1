"""Lessons are open positions of real games, with the teacher's own answers."""

import numpy as np
import pytest

from gobang.evaluators.uniform import UniformEvaluator
from gobang.rules.position import Position, as_batch
from gobang.types import EMPTY, UNDECIDED, Variant
from learner.distillation.lessons import Lessons, ask_teacher, legal_policy

VARIANTS = [Variant.square(6, k=4), Variant(height=5, width=7, k=4, players=3)]
COUNT = 3000


def lessons_of(variant: Variant, seed: int = 1) -> Lessons:
    teacher, random = UniformEvaluator(variant, seed=4), np.random.default_rng(seed)
    return ask_teacher(teacher, variant, COUNT, random, lambda done: None)


def position_of(lessons: Lessons, row: int) -> Position:
    boards = lessons.boards
    points = [np.flatnonzero(boards.cells[row] == player + 1).tolist() for player in range(boards.variant.players)]
    return Position.from_stones(boards.variant, points, int(boards.to_move[row]))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_each_is_the_teachers_answer_to_an_open_position(variant: Variant) -> None:
    lessons, teacher = lessons_of(variant), UniformEvaluator(variant, seed=4)
    for row in range(0, COUNT, 100):
        position = position_of(lessons, row)
        assert position.outcome == UNDECIDED
        answers = teacher.collect(teacher.submit(as_batch([position])))
        expected = legal_policy(answers, position.legal()[None])[0]
        np.testing.assert_allclose(lessons.samples().policy[row], expected, atol=1e-3)
        np.testing.assert_array_equal(lessons.chances[row], answers.chances[0])


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_last_moves_are_stones_of_the_player_before(variant: Variant) -> None:
    boards = lessons_of(variant).boards
    latest = boards.last_moves[:, 0]
    rows = np.flatnonzero(latest >= 0)
    before = (boards.to_move[rows] - 1) % variant.players
    np.testing.assert_array_equal(boards.cells[rows, latest[rows]], before + 1)
    assert len(rows) > COUNT * 0.9
    assert len(np.unique((boards.cells != EMPTY).sum(axis=1))) > 10


def test_the_seed_decides() -> None:
    first, same, other = (lessons_of(VARIANTS[0], seed).boards.cells for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


def test_whole_games_are_held_back() -> None:
    learned, held_back = lessons_of(VARIANTS[0]).split()
    assert len(learned) + len(held_back) == COUNT
    assert 0 < len(held_back) < COUNT / 20
    stones = (held_back.boards.cells != EMPTY).sum(axis=1).reshape(-1, 10)
    grown = stones[1:] - stones[:-1]
    assert (grown == 1).mean() > 0.8  # the others are new games
