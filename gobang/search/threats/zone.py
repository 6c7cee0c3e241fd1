"""The replies that could meet a threat: all other points leave a win by continuous fours as it is.

Let the attacker threaten a VCF: its fours, each with one answer, and at the end a four with two.  If
the defender plays elsewhere first, the same fours still win, unless that stone

    stands where one of the stones or the last five would, or
    makes, with the defender's stones and the answers so far, a four of its own, or
    changes, where points are forbidden, what may be played.

The first two are read off the line patterns while the fours are played; for the third they are
played again behind each other point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import has_legal_move
from gobang.rules.compiled import kernel
from gobang.rules.geometry import Geometry
from gobang.rules.rule import forbids_points, may_play
from gobang.search.threats.patterns import Patterns, add_stone, list_fives, makes_four, remove_stone
from gobang.search.threats.tactics import TacticsWorkspace
from gobang.types import EMPTY, NO_MOVE


@kernel
def list_replies(
    geometry: Geometry,
    patterns: Patterns,
    tactics: TacticsWorkspace,
    attacker: int,
    marks: NDArray[np.bool_],
    fives: NDArray[np.int16],
    replies: NDArray[np.int16],
) -> int:
    """List the defender's replies to the VCF that `tactics` has just found; returns how many.

    `marks` and `fives` [A] are scratch.
    """
    for point in range(len(marks)):
        marks[point] = False
    last = _mark(patterns, tactics, attacker, marks, fives)
    count = 0
    for point in range(len(marks)):
        if patterns.cells[point] != EMPTY or not may_play(geometry, patterns.cells, point, 1 - attacker):
            continue
        if not marks[point] and forbids_points(geometry):
            patterns.cells[point] = 2 - attacker
            marks[point] = not _is_playable(geometry, patterns.cells, tactics, attacker, last)
            patterns.cells[point] = EMPTY
        if marks[point]:
            replies[count] = point
            count += 1
    return count


@kernel
def _mark(
    patterns: Patterns,
    tactics: TacticsWorkspace,
    attacker: int,
    marks: NDArray[np.bool_],
    fives: NDArray[np.int16],
) -> int:
    """Mark the points of a VCF and where the defender gets fours on the way.

    Returns the point that completes a five in the end, or NO_MOVE if there are several.
    """
    length = tactics.length[0]
    for index in range(length):
        _mark_fours(patterns, 1 - attacker, marks)
        four, answer = int(tactics.frames.four[index]), int(tactics.frames.answer[index])
        marks[four] = True
        add_stone(patterns, four, attacker)
        if index < length - 1:
            marks[answer] = True
            add_stone(patterns, answer, 1 - attacker)
    count = list_fives(patterns, attacker, fives)
    for index in range(count):
        marks[fives[index]] = True
    for index in range(length - 1, -1, -1):
        if index < length - 1:
            remove_stone(patterns, int(tactics.frames.answer[index]))
        remove_stone(patterns, int(tactics.frames.four[index]))
    return int(fives[0]) if count == 1 else NO_MOVE


@kernel
def _mark_fours(patterns: Patterns, player: int, marks: NDArray[np.bool_]) -> None:
    """Mark the empty points where a stone of a player makes a four."""
    for point in range(len(marks)):
        if patterns.cells[point] == EMPTY and makes_four(patterns.profiles[player, point]):
            marks[point] = True


@kernel
def _is_playable(
    geometry: Geometry, cells: NDArray[np.int8], tactics: TacticsWorkspace, attacker: int, last: int
) -> bool:
    """Whether a VCF may be played by the rules; it ends early where an answer may not be."""
    length, defender = tactics.length[0], 1 - attacker
    playable, placed = True, 0
    while playable and placed < length:
        four, answer = int(tactics.frames.four[placed]), int(tactics.frames.answer[placed])
        playable = may_play(geometry, cells, four, attacker)
        cells[four] = attacker + 1
        placed += 1
        if placed == length:
            answer = last
        if playable and (answer == NO_MOVE or not may_play(geometry, cells, answer, defender)):
            playable = has_legal_move(geometry, cells, defender)
            break
        if placed == length:
            playable = False
        else:
            cells[answer] = defender + 1
    for index in range(placed):
        cells[int(tactics.frames.four[index])] = EMPTY
        if index < length - 1:
            cells[int(tactics.frames.answer[index])] = EMPTY
    return playable
