"""Positions with a teacher's answers: from games in which the teacher's policy, without a search, plays all sides.

A game begins with a few random stones that lie near each other, so that games differ, and policies are taken to
different powers, so that some games are played well and others meet mistakes.

Shape letters: N lessons, G games, A points, P players.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.interfaces import Evaluator
from gobang.rules.position import Position, as_batch
from gobang.types import NO_MOVE, UNDECIDED, Boards, Evaluations, Variant
from learner.replay.window.samples import MIDDLE, Samples

_GAMES: Final = 512  # at once; a position of each in turn
_HELD_BACK: Final = 10  # of these games
_MOST_STONES: Final = 8  # at random, before the teacher plays
_NEAR: Final = 3  # points from the first stone, by row and by column
_POWERS: Final = (0.5, 1.0, 2.0)  # that a policy is taken to before a move is drawn
_LEAST_SHARE: Final = 1e-9  # of a legal point


@dataclass(frozen=True, kw_only=True, slots=True)
class Lessons:
    """What a teacher says of N positions; all arrays are the holder's."""

    boards: Boards
    policy: NDArray[np.float16]  # [N, A] shares of the legal points
    chances: NDArray[np.float32]  # [N, P + 1] rotated to the side to move

    def __len__(self) -> int:
        return len(self.boards)

    def part(self, rows: NDArray[np.int64] | slice) -> Lessons:
        """Some of the lessons."""
        boards = Boards(
            variant=self.boards.variant,
            cells=self.boards.cells[rows],
            to_move=self.boards.to_move[rows],
            last_moves=self.boards.last_moves[rows],
        )
        return Lessons(boards=boards, policy=self.policy[rows], chances=self.chances[rows])

    def split(self) -> tuple[Lessons, Lessons]:
        """Those to learn from, and those held back: whole games, since neighbours in a game are much alike."""
        is_held_back = np.arange(len(self)) % _GAMES < _HELD_BACK
        return self.part(np.flatnonzero(~is_held_back)), self.part(np.flatnonzero(is_held_back))

    def samples(self) -> Samples:
        """All of them as a training batch, in which the teacher's chances stand for result and search."""
        count = len(self)
        policy = self.policy.astype(np.float32)
        return Samples(
            boards=self.boards,
            policy=policy / policy.sum(axis=1, keepdims=True),
            search_chances=self.chances,
            result_chances=self.chances,
            reply=np.full(count, NO_MOVE, np.int16),
            stage=np.full(count, MIDDLE, np.int16),
            weights_version=np.zeros(count, np.int32),
            weight=np.ones(count, np.float32),
        )


def ask_teacher(
    teacher: Evaluator, variant: Variant, count: int, random: np.random.Generator, report: Callable[[int], None]
) -> Lessons:
    """Play the variant until there are `count` lessons; `report` hears how many there are."""
    lessons = _empty(variant, count)
    games = [_new_game(variant, random) for _ in range(_GAMES)]
    done = 0
    while done < count:
        positions = as_batch(games)
        legal = np.stack([game.legal() for game in games])
        answers = teacher.collect(teacher.submit(positions))
        policy = legal_policy(answers, legal)
        done += _keep(lessons, done, positions, policy, answers)
        report(done)
        for index, point in enumerate(_draw(policy, legal, random).tolist()):
            games[index].play(point)
            if games[index].outcome != UNDECIDED:
                games[index] = _new_game(variant, random)
    return lessons


def legal_policy(answers: Evaluations, legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """[G, A] the priors of the legal points, each row of sum 1."""
    shares = np.where(legal, np.maximum(answers.priors, _LEAST_SHARE), 0)
    policy: NDArray[np.float32] = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
    return policy


def _empty(variant: Variant, count: int) -> Lessons:
    boards = Boards(
        variant=variant,
        cells=np.empty((count, variant.points), np.int8),
        to_move=np.empty(count, np.int8),
        last_moves=np.empty((count, variant.moves_shown), np.int16),
    )
    policy = np.empty((count, variant.points), np.float16)
    return Lessons(boards=boards, policy=policy, chances=np.empty((count, variant.players + 1), np.float32))


def _keep(lessons: Lessons, begin: int, positions: Boards, policy: NDArray[np.float32], answers: Evaluations) -> int:
    """Write a batch from the row `begin` on, as far as there is room; returns how many rows that was."""
    count = min(len(positions), len(lessons) - begin)
    rows = slice(begin, begin + count)
    lessons.boards.cells[rows] = positions.cells[:count]
    lessons.boards.to_move[rows] = positions.to_move[:count]
    lessons.boards.last_moves[rows] = positions.last_moves[:count]
    lessons.policy[rows] = policy[:count]
    lessons.chances[rows] = answers.chances[:count]
    return count


def _draw(policy: NDArray[np.float32], legal: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int64]:
    """[G] a legal point for each game, by its policy to a power."""
    powers = random.choice(_POWERS, (len(policy), 1))
    scores = powers * np.log(np.maximum(policy, _LEAST_SHARE)) + random.gumbel(size=policy.shape)
    points: NDArray[np.int64] = np.where(legal, scores, -np.inf).argmax(axis=1)
    return points


def _new_game(variant: Variant, random: np.random.Generator) -> Position:
    """A position after random moves near each other, undecided."""
    stones = int(random.integers(_MOST_STONES + 1))
    rows, columns = np.divmod(np.arange(variant.points), variant.width)
    row, column = random.integers(variant.height), random.integers(variant.width)
    near = (abs(rows - row) <= _NEAR) & (abs(columns - column) <= _NEAR)
    position = Position(variant)
    for _ in range(stones):
        points = np.flatnonzero(position.legal() & near)
        if not len(points):
            break
        position.play(int(random.choice(points)))
        if position.outcome != UNDECIDED:
            position.undo()
            break
    return position
