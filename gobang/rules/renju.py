"""Black's forbidden points in renju, by the definitions of the Renju International Federation.

A new black stone on an empty point makes
    a five       an unbroken row of exactly five: it wins, and nothing is forbidden;
    an overline  an unbroken row of six or more;
    a four       four stones of one line that one more stone turns into a five.  An unbroken four
                 that two stones complete is a straight four and counts once; X_XXX_X with the
                 new stone in the middle is two fours;
    a three      three stones of one line that one more stone turns into a straight four, if that
                 stone makes no five and is not itself forbidden with the new stone on the board.
An overline, two fours, or threes in two directions are forbidden.

Stones that matter to a new stone lie in its run, or behind the first empty cell on either side of
that run.  So every line is read as two sides, and a stone that makes a four or a three complete can
only stand on one of these two empty cells, the gaps.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from gobang.rules.compiled import count_bits, kernel, lowest_bit, stack_array
from gobang.rules.geometry import Geometry
from gobang.types import EMPTY, MAX_SIDE

ALLOWED: Final = 0
DOUBLE_THREE: Final = 1
DOUBLE_FOUR: Final = 2
OVERLINE: Final = 3
FORBIDDEN_REASONS: Final = {DOUBLE_THREE: "double three", DOUBLE_FOUR: "double four", OVERLINE: "overline"}

_BLACK: Final = 1  # black's stone in a cell
_FIVE: Final = -1  # in place of a verdict: legal, and it wins
_OPEN: Final = -2  # in place of a verdict: it depends on which threes are real

# A set of possible threes has a bit per direction and side: bit 2 * direction is the side of
# higher points, bit 2 * direction + 1 the side of lower points.
_HIGHER_SIDES: Final = 0b01010101

_line_words = stack_array(types.uint32, (6 * MAX_SIDE,))  # 4 n + 2 (n - 1) lines, and the spare line
_point_words = stack_array(types.uint32, (MAX_SIDE * MAX_SIDE,))


@kernel
def forbidden(geometry: Geometry, cells: NDArray[np.int8], point: int) -> int:
    """ALLOWED, or why black may not play the empty point.

    Writes to `cells` while it looks ahead and restores them before it returns.
    """
    height, width = geometry.height, geometry.width
    verdict, threes = _judge(height, width, cells, point)
    if verdict == _OPEN:
        return _settle_threes(height, width, cells, point, threes)
    return max(verdict, ALLOWED)


@kernel
def clear_forbidden(geometry: Geometry, cells: NDArray[np.int8], legal: NDArray[np.bool_]) -> None:
    """Set `legal` [A] to False where black may not play; `legal` must hold empty points only."""
    stones = _line_words()  # [L] black's
    for line in range(len(geometry.mask)):
        stones[line] = np.uint32(0)
    for point in range(len(cells)):
        if cells[point] == _BLACK:
            for direction in range(4):
                stones[geometry.line[point, direction]] |= np.uint32(1) << np.uint32(geometry.bit[point, direction])
    stones[len(geometry.mask) - 1] = np.uint32(0)  # the spare line
    for point in range(len(cells)):
        if legal[point] and _is_crowded(geometry, stones, point):
            legal[point] = forbidden(geometry, cells, point) == ALLOWED


@kernel
def _is_crowded(geometry: Geometry, stones: NDArray[np.uint32], point: int) -> bool:
    """Whether enough black stones are near for the point to be forbidden at all.

    A three or a four has two more stones of its line within three steps; an overline, and two
    fours in one line, have four within four steps.
    """
    lines = 0
    for direction in range(4):
        word = stones[geometry.line[point, direction]]
        near = (word << np.uint32(4)) >> np.uint32(geometry.bit[point, direction]) & np.uint32(0b111111111)
        lines += int(count_bits(near & np.uint32(0b011111110)) >= 2) + int(count_bits(near) >= 4)
    return lines >= 2


@kernel
def _judge(height: int, width: int, cells: NDArray[np.int8], point: int) -> tuple[int, int]:
    """The verdict on a black stone at `point`; if it is _OPEN, also the set of possible threes."""
    row, column = point // width, point % width
    up, right, down, left = height - 1 - row, width - 1 - column, row, column
    five, longest, fours, threes, lines = False, 1, 0, 0, 0
    for direction in range(4):
        if direction == 0:
            step, room, back_room = 1, right, left
        elif direction == 1:
            step, room, back_room = width, up, down
        elif direction == 2:
            step, room, back_room = width + 1, min(up, right), min(down, left)
        else:
            step, room, back_room = width - 1, min(up, left), min(down, right)
        if room + back_room < 4:
            continue
        ahead, gap, beyond, free = _read_side(cells, point, step, room)
        behind, back_gap, back_beyond, back_free = _read_side(cells, point, -step, back_room)
        run = 1 + ahead + behind
        five |= run == 5
        longest = max(longest, run)
        completions = int(gap and run + 1 + beyond == 5) + int(back_gap and run + 1 + back_beyond == 5)
        fours += 1 if run == 4 and completions == 2 else completions
        # A stone on the one gap makes an unbroken four; both of its ends must make a five.
        three = int(free and back_gap and back_beyond == 0 and run + 1 + beyond == 4)
        three |= int(back_free and gap and beyond == 0 and run + 1 + back_beyond == 4) << 1
        threes |= three << (2 * direction)
        lines += three != 0
    if five:
        return _FIVE, 0
    if longest > 5:
        return OVERLINE, 0
    if fours >= 2:
        return DOUBLE_FOUR, 0
    return (_OPEN, threes) if lines >= 2 else (ALLOWED, 0)


@kernel
def _read_side(cells: NDArray[np.int8], point: int, step: int, room: int) -> tuple[int, bool, int, bool]:
    """The stones on one side of a point, of which `room` cells are on the board.

    Returns the number of black stones that touch the point, whether the cell behind them is empty
    (a gap), the number of black stones that touch the gap from behind, and whether the cell behind
    those is empty and not followed by a black stone.
    """
    stones = 0
    at = point + step
    while stones < room and cells[at] == _BLACK:
        stones += 1
        at += step
    room -= stones
    if room == 0 or cells[at] != EMPTY:
        return stones, False, 0, False
    room -= 1
    at += step
    beyond = 0
    while beyond < room and cells[at] == _BLACK:
        beyond += 1
        at += step
    room -= beyond
    free = room > 0 and cells[at] == EMPTY and (room == 1 or cells[at + step] != _BLACK)
    return stones, True, beyond, free


@kernel
def _settle_threes(height: int, width: int, cells: NDArray[np.int8], point: int, threes: int) -> int:
    """DOUBLE_THREE if a stone at `point` makes real threes in two directions, otherwise ALLOWED.

    A three is real if its completion is allowed, which may again depend on threes.  So stones are
    tried on top of each other: the stack holds the point of each, the possible threes that are
    still to be tested, and whether one has proved real.
    """
    stack = _point_words()
    top = 0
    found = 0
    cells[point] = _BLACK
    while True:
        lines = int(np.int64(count_bits(np.uint32((threes | threes >> 1) & _HIGHER_SIDES))))
        if found < 2 and found + lines >= 2:
            gap = _gap(width, cells, point, int(np.int64(lowest_bit(np.uint32(threes)))))
            verdict, inner = _judge(height, width, cells, gap)
            if verdict == _OPEN:
                stack[top] = np.uint32(point << 9 | threes << 1 | found)
                top += 1
                point, threes, found = gap, inner, 0
                cells[point] = _BLACK
                continue
        else:
            cells[point] = EMPTY
            verdict = DOUBLE_THREE if found == 2 else ALLOWED
            if top == 0:
                return verdict
            top -= 1
            frame = int(np.int64(stack[top]))
            point, threes, found = frame >> 9, frame >> 1 & 0xFF, frame & 1
        side = int(np.int64(lowest_bit(np.uint32(threes))))
        if verdict == ALLOWED:
            found += 1
            threes &= ~(3 << (side & ~1))
        else:
            threes &= ~(1 << side)


@kernel
def _gap(width: int, cells: NDArray[np.int8], point: int, side: int) -> int:
    """The first cell on one side of `point` that is not black."""
    direction = side >> 1
    step = 1 if direction == 0 else width + (0, 0, 1, -1)[direction]
    step = step if side & 1 == 0 else -step
    at = point + step
    while cells[at] == _BLACK:
        at += step
    return at
