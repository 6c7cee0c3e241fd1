"""Learning by temporal differences where the values can be computed."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from gobang.critic.board import board_of
from gobang.critic.network import value_after_moves
from gobang.critic.patterns import line_patterns
from gobang.rules.geometry import geometry
from gobang.rules.position import Position
from gobang.types import UNDECIDED, Variant
from learner.self_teaching.course import Course, CourseConfig, begun

TINY = Variant.square(3, k=3)
CENTRE, CORNER, EDGE = 4, 0, 1


def taught(*, replay: bool = True, values: Literal["states", "actions"] = "states") -> Course:
    """A course whose moves were all drawn, and whose rate fell until it hardly wavered."""
    config = CourseConfig(
        variant=TINY, features="full", replay=replay, values=values, epsilon=1.0, rate=0.1, halving=500, seed=1
    )
    course = begun(config)
    course.play(20_000)
    return course


def after_moves(course: Course, position: Position) -> NDArray[np.float32]:
    """[A] what each move leads to, for the side to move."""
    values = np.zeros(TINY.points, np.float32)
    board = board_of(TINY, position.cells)
    value_after_moves(geometry(TINY), line_patterns(TINY), course.critic, board, position.to_move, values)
    return values


WORTH: dict[bytes, float] = {}  # by the stones


def expected(moves: tuple[int, ...]) -> float:
    """What black scores after some moves if both sides draw theirs."""
    position = Position(TINY, moves)
    if position.outcome != UNDECIDED:
        return (1.0, 0.0, 0.5)[position.outcome]
    stones = position.cells.tobytes()
    if stones not in WORTH:
        scores = [expected((*moves, int(point))) for point in np.flatnonzero(position.legal())]
        WORTH[stones] = float(np.mean(scores))
    return WORTH[stones]


def errors(course: Course, positions: int = 100) -> list[float]:
    """How far the values of moves are from what they are worth, in positions of random games."""
    generator, found = np.random.default_rng(1), []
    for _ in range(positions):
        position = Position(TINY)
        for _ in range(generator.integers(5)):
            if position.outcome == UNDECIDED:
                position.play(int(generator.choice(np.flatnonzero(position.legal()))))
        values = after_moves(course, position)
        for point in np.flatnonzero(position.legal()):
            worth = expected((*position.moves, int(point)))
            found.append(abs(values[point] - (worth if position.to_move == 0 else 1 - worth)))
    return found


@pytest.mark.parametrize("replay", [True, False])
def test_learns_what_moves_are_worth_in_random_play(replay: bool) -> None:
    course = taught(replay=replay)
    values = after_moves(course, Position(TINY))
    for point in (CENTRE, CORNER, EDGE):
        assert values[point] == pytest.approx(expected((point,)), abs=0.08)
    assert values[CENTRE] > values[CORNER] > values[EDGE]
    assert np.mean(errors(course)) < 0.08


def test_q_learning_expects_the_best_reply_to_a_random_move() -> None:
    """White has two in a row; only the block keeps black alive."""
    position = Position(TINY, [8, 0, 3, 1])
    best, drawn = (after_moves(taught(values=values), position) for values in ("actions", "states"))
    wrong = [point for point in np.flatnonzero(position.legal()) if point != 2]
    assert best.argmax() == 2
    assert best[wrong].max() < 0.1 < 0.3 < drawn[wrong].min()
