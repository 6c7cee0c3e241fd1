"""Games of a critic against itself, from which it learns: positions after a move, by TD(0).

A position after a move is to have the value of the one after the next move, and the last one the result of the
game.  The next move is the one that was played, or with Q-learning the best that was known, even where another
was played to explore.

Without replay each position is learned from as soon as the next move is chosen.  With replay transitions are
gathered; once the store is full they are learned from in random order, with the values that their successors have
by then, and the store is emptied.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.critic.board import PatternBoard, board_of, put_stone, put_stones, try_stone
from gobang.critic.network import NOT_LEGAL, Critic, learn, see, value_after_moves, value_of
from gobang.critic.patterns import PATTERNS, LinePatterns, line_patterns
from gobang.rules.board import outcome_after
from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.search.trees.playout import random_below
from gobang.types import NO_MOVE, UNDECIDED, Variant

BATCH: Final = 5000  # transitions of a batch of replay
_CONTINUES: Final = -1.0  # in place of a result
_GRAIN: Final = 1 << 20  # of chances


class Store(NamedTuple):
    """Transitions between positions after moves; S of them fit in."""

    counts: NDArray[np.int16]  # [S, 2, 2, PATTERNS] of the position and of its successor
    to_move: NDArray[np.int8]  # [S] in the position; in the successor it is the other
    result: NDArray[np.float32]  # [S] of the game for black where the position is its last, else _CONTINUES
    order: NDArray[np.int32]  # [S] scratch
    held: NDArray[np.int64]  # [1] how many there are


class Table(NamedTuple):
    """What games are played on: a variant's tables, a board, and scratch."""

    geometry: Geometry
    patterns: LinePatterns
    board: PatternBoard
    empty: NDArray[np.int8]  # [A] no stones
    values: NDArray[np.float32]  # [A] of moves
    counts: NDArray[np.int16]  # [2, 2, PATTERNS] of the position after the last move, and of its successor
    random: NDArray[np.uint64]  # [1] state of the generator, never zero


class Lesson(NamedTuple):
    """How it learns."""

    replay: bool
    actions: bool  # Q-learning
    epsilon: float  # share of moves at random
    first_rate: float  # of a step, in the first game
    halving: float  # games after which it is half of that; after twice as many more it is a quarter, and so on
    rate: NDArray[np.float64]  # [1] in the game that is played


def new_store() -> Store:
    """A store without transitions."""
    return Store(
        counts=np.zeros((BATCH, 2, 2, PATTERNS), np.int16),
        to_move=np.zeros(BATCH, np.int8),
        result=np.zeros(BATCH, np.float32),
        order=np.zeros(BATCH, np.int32),
        held=np.zeros(1, np.int64),
    )


def new_table(variant: Variant, random: NDArray[np.uint64]) -> Table:
    """A table for games of a variant, with a generator that stays the caller's."""
    empty = np.zeros(variant.points, np.int8)
    return Table(
        geometry=geometry(variant),
        patterns=line_patterns(variant),
        board=board_of(variant, empty),
        empty=empty,
        values=np.zeros(variant.points, np.float32),
        counts=np.zeros((2, 2, PATTERNS), np.int16),
        random=random,
    )


@kernel
def play_and_learn(table: Table, critic: Critic, store: Store, lesson: Lesson, before: int, games: int) -> None:
    """Play so many games, after `before` others, and learn from them."""
    for game in range(before, before + games):
        lesson.rate[0] = lesson.first_rate / (1 + game / lesson.halving)
        _play(table, critic, store, lesson)


@kernel
def _play(table: Table, critic: Critic, store: Store, lesson: Lesson) -> None:
    board, random, mover = table.board, table.random, 0
    put_stones(table.geometry, table.patterns, board, table.empty)
    outcome, is_first = UNDECIDED, True
    while outcome == UNDECIDED:
        value_after_moves(table.geometry, table.patterns, critic, board, mover, table.values)
        best = best_of(table.values, random)
        explores = random_below(random, _GRAIN) < lesson.epsilon * _GRAIN
        point = any_of(table.values, random) if explores else best
        if not is_first:
            _look(table, best if lesson.actions else point, mover)
            _take(table, critic, store, lesson, mover, _CONTINUES)
        put_stone(table.geometry, table.patterns, board, point, mover)
        _copy(board.counts, table.counts[0])
        mover, is_first = 1 - mover, False
        outcome = outcome_after(table.geometry, board.cells, point, mover)
    result = 1.0 if outcome == 0 else 0.0 if outcome == 1 else 0.5
    _take(table, critic, store, lesson, mover, result)


@kernel
def best_of(values: NDArray[np.float32], random: NDArray[np.uint64]) -> int:
    """A point with the highest value, drawn among equals."""
    best, equals = NO_MOVE, 0
    for point in range(len(values)):
        if best != NO_MOVE and values[point] < values[best]:
            continue
        equals = equals + 1 if best != NO_MOVE and values[point] == values[best] else 1
        if random_below(random, equals) == 0:
            best = point
    return best


@kernel
def any_of(values: NDArray[np.float32], random: NDArray[np.uint64]) -> int:
    """A point that may be played."""
    found, seen = NO_MOVE, 0
    for point in range(len(values)):
        if values[point] != NOT_LEGAL:
            seen += 1
            if random_below(random, seen) == 0:
                found = point
    return found


@kernel
def _look(table: Table, point: int, mover: int) -> None:
    """Set the counts of the successor to those after a move."""
    board = table.board
    try_stone(table.geometry, table.patterns, board, point, mover)
    for player in range(2):
        for pattern in range(board.counts.shape[1]):
            table.counts[1, player, pattern] = board.counts[player, pattern] + board.changes[player, pattern]


@kernel
def _copy(counts: NDArray[np.int16], out: NDArray[np.int16]) -> None:
    for player in range(2):
        for pattern in range(counts.shape[1]):
            out[player, pattern] = counts[player, pattern]


@kernel
def _take(table: Table, critic: Critic, store: Store, lesson: Lesson, to_move: int, result: float) -> None:
    """Learn from a transition, or keep it for a batch and learn from that once it is full."""
    if not lesson.replay:
        _learn_transition(critic, table.counts, to_move, result, lesson.rate[0])
        return
    at = store.held[0]
    for which in range(2):
        _copy(table.counts[which], store.counts[at, which])
    store.to_move[at] = to_move
    store.result[at] = result
    store.held[0] = at + 1
    if store.held[0] == len(store.result):
        _learn_batch(critic, store, lesson.rate[0], table.random)


@kernel
def _learn_batch(critic: Critic, store: Store, rate: float, random: NDArray[np.uint64]) -> None:
    """Learn from all transitions of a store, each once in random order, and empty it."""
    for index in range(store.held[0]):
        other = random_below(random, index + 1)
        store.order[index] = store.order[other]
        store.order[other] = index
    for index in range(store.held[0]):
        at = store.order[index]
        _learn_transition(critic, store.counts[at], int(store.to_move[at]), float(store.result[at]), rate)
    store.held[0] = 0


@kernel
def _learn_transition(critic: Critic, counts: NDArray[np.int16], to_move: int, result: float, rate: float) -> None:
    """A step of TD(0) for the first of two positions, towards the second's value or the game's result."""
    target = result
    if result == _CONTINUES:
        see(critic, counts[1], 1 - to_move, critic.hidden)
        target = value_of(critic)
    learn(critic, counts[0], to_move, target, rate)
