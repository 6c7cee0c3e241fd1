"""Fives and fours on line words: what one more stone would complete, for a whole board at once.

A window is k successive points of a line, named by its first bit.  A window without foreign stones
and with one empty point is a five to be made there; with two empty points it is a four to be made
on either, to be answered on the other.  Where only exactly k wins, a window beside an own stone is
none.  Where an enclosed row of k does not win, `drop_enclosed` and `drop_frail` leave out more.

`words` holds one row of STRIDE words for each kind of word, one word for each line of the geometry,
and behind the rows some scratch.  It is one flat array, and indices are unsigned, because the
compiler then sees that rows do not overlap and that no index counts from the end.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import count_bits, inlined, kernel, lowest_bit, lowest_bit_of_64
from gobang.rules.geometry import geometry as tables
from gobang.types import MAX_K, NO_MOVE, Variant

STRIDE: Final = np.uint64(128)  # 22x22 with k=3 has 123 lines
MINE: Final = np.uint64(0 * 128)  # stones of the side to move
THEIRS: Final = np.uint64(1 * 128)  # stones of the next player
OTHERS: Final = np.uint64(2 * 128)  # stones of further players
BOARD: Final = np.uint64(3 * 128)  # the points of each line; never changes
EMPTIES: Final = np.uint64(4 * 128)
MY_FIVES: Final = np.uint64(5 * 128)  # windows that the side to move completes with one stone
THEIR_FIVES: Final = np.uint64(6 * 128)  # windows that the next player completes with one stone
MY_FOURS: Final = np.uint64(7 * 128)  # windows that the side to move completes with two stones
ACTIVE: Final = np.uint64(8 * 128)  # 4 words: a set of lines, all that have MY_FOURS and maybe more
UNDO: Final = np.uint64(8 * 128 + 4)  # 4 words for each stone that was added

# `place` holds for each point and direction its line, its bit there as a word, and its windows.
PLACE: Final = np.uint64(12)
LINE: Final = np.uint64(0)
FLAG: Final = np.uint64(1)
COVER: Final = np.uint64(2)

ALL: Final = np.uint32(0xFFFFFFFF)
ZERO: Final = np.uint32(0)
ONE: Final = np.uint32(1)
_LOW_BITS: Final = np.uint64(0x0101010101010101)
_GATHER: Final = np.uint64(0x0102040810204080)  # times eight low bits of bytes: the bits side by side at the top


def line_words(variant: Variant, depth: int) -> NDArray[np.uint32]:
    """Words of an empty board, with room to add `depth` stones."""
    words = np.zeros(int(UNDO) + 4 * depth, np.uint32)
    mask = tables(variant).mask
    words[int(BOARD) : int(BOARD) + len(mask)] = mask
    return words


def places(variant: Variant) -> NDArray[np.uint32]:
    """[A * PLACE] LINE, FLAG and COVER of each point in each direction."""
    table = tables(variant)
    bit = table.bit.astype(np.uint64)
    cover = np.uint64((1 << variant.k) - 1) << bit >> np.uint64(variant.k - 1)
    columns = (table.line.astype(np.uint64), np.uint64(1) << bit, cover)
    return np.stack(columns, axis=2).astype(np.uint32).reshape(-1)


@kernel
def set_stones(
    words: NDArray[np.uint32],
    place: NDArray[np.uint32],
    cells: NDArray[np.int8],
    chunks: NDArray[np.uint64],
    to_move: int,
    players: int,
) -> None:
    """Write the stones of `cells` [A] to the rows MINE, THEIRS and OTHERS.

    `chunks` is the memory of `cells`, eight points in a word, with zeros behind them.  Finding the
    stones 64 points at a time spares a branch for each point that no processor could foresee.
    """
    for index in range(BOARD):
        words[index] = 0
    for first in range(np.uint64(0), np.uint64(len(chunks)), np.uint64(8)):
        stones = np.uint64(0)
        for byte in range(np.uint64(8)):
            eight = chunks[first + byte]
            eight = (eight | (eight >> np.uint64(1)) | (eight >> np.uint64(2))) & _LOW_BITS
            stones |= ((eight * _GATHER) >> np.uint64(56)) << (byte * np.uint64(8))
        while stones:
            point = first * np.uint64(8) + lowest_bit_of_64(stones)
            stones &= stones - np.uint64(1)
            role = int(cells[point]) - 1 - to_move
            role += players if role < 0 else 0
            row = np.uint64(min(role, 2)) * STRIDE
            for at in range(point * PLACE, (point + np.uint64(1)) * PLACE, np.uint64(3)):
                words[row + place[at]] |= place[at + FLAG]


@inlined
def _windows(
    mine: np.uint32,
    theirs: np.uint32,
    empty: np.uint32,
    my_exact: np.uint32,
    their_exact: np.uint32,
    k: int,
    steps: int,
) -> tuple[np.uint32, np.uint32, np.uint32]:
    """Words of one line for MY_FIVES, THEIR_FIVES and MY_FOURS.

    `steps` is k or MAX_K, and a constant, so that the loop is unrolled.
    """
    my_room, their_room = np.uint32(mine | empty), np.uint32(theirs | empty)
    my_fit = their_fit = ALL
    one = two = three = ZERO  # windows with at least one, two, three empty points
    for step in range(steps):
        beyond = ALL if steps == MAX_K and step >= k else ZERO
        shift = np.uint32(step)
        hole = np.uint32(np.uint32(empty >> shift) & ~beyond)
        three = np.uint32(three | (two & hole))
        two = np.uint32(two | (one & hole))
        one = np.uint32(one | hole)
        my_fit = np.uint32(my_fit & (np.uint32(my_room >> shift) | beyond))
        their_fit = np.uint32(their_fit & (np.uint32(their_room >> shift) | beyond))
    my_ends = np.uint32(np.uint32(mine << ONE) | np.uint32(mine >> np.uint32(k)))
    their_ends = np.uint32(np.uint32(theirs << ONE) | np.uint32(theirs >> np.uint32(k)))
    my_fit = np.uint32(my_fit & ~(my_exact & my_ends))
    their_fit = np.uint32(their_fit & ~(their_exact & their_ends))
    single = np.uint32(one & ~two)
    return np.uint32(my_fit & single), np.uint32(their_fit & single), np.uint32(my_fit & two & ~three)


@kernel
def find_threats(
    words: NDArray[np.uint32], lines: np.uint64, k: int, my_exact: np.uint32, their_exact: np.uint32
) -> tuple[np.uint32, np.uint32, np.uint32]:
    """Fill EMPTIES, MY_FIVES, THEIR_FIVES and MY_FOURS; return the union of each of the last three.

    `lines` is a multiple of 16, to spare the compiler's remainder loop; `exact` is ALL or ZERO.
    """
    my_five = their_five = my_four = ZERO
    for line in range(lines):
        mine, theirs = words[MINE + line], words[THEIRS + line]
        empty = np.uint32(words[BOARD + line] & ~(mine | theirs | words[OTHERS + line]))
        if k == 5:
            a, b, c = _windows(mine, theirs, empty, my_exact, their_exact, 5, 5)
        else:
            a, b, c = _windows(mine, theirs, empty, my_exact, their_exact, k, MAX_K)
        words[EMPTIES + line] = empty
        words[MY_FIVES + line], words[THEIR_FIVES + line], words[MY_FOURS + line] = a, b, c
        my_five, their_five, my_four = np.uint32(my_five | a), np.uint32(their_five | b), np.uint32(my_four | c)
    return my_five, their_five, my_four


@inlined
def _frail(words: NDArray[np.uint32], row: np.uint64, line: np.uint64, k: int) -> np.uint32:
    """Windows of a line that foreign stones enclose, or would with one more, for the stones of a row MINE or THEIRS."""
    empty = words[EMPTIES + line]
    foreign = np.uint32(words[BOARD + line] & ~np.uint32(words[row + line] | empty))
    room = np.uint32(foreign | empty)
    before, after = np.uint32(foreign << ONE), np.uint32(foreign >> np.uint32(k))
    return np.uint32((before & np.uint32(room >> np.uint32(k))) | (after & np.uint32(room << ONE)))


@inlined
def _enclosed(words: NDArray[np.uint32], row: np.uint64, line: np.uint64, k: int) -> np.uint32:
    """Windows of a line with foreign stones at both ends, for the stones of a row MINE or THEIRS."""
    foreign = np.uint32(words[BOARD + line] & ~np.uint32(words[row + line] | words[EMPTIES + line]))
    return np.uint32(np.uint32(foreign << ONE) & np.uint32(foreign >> np.uint32(k)))


@kernel
def drop_enclosed(words: NDArray[np.uint32], lines: np.uint64, k: int) -> tuple[np.uint32, np.uint32, np.uint32]:
    """Leave in MY_FIVES and THEIR_FIVES what wins, and in MY_FOURS what has no answer but one; return the unions."""
    my_five = their_five = my_four = ZERO
    for index in range(lines):
        line = np.uint64(index)
        words[MY_FIVES + line] &= ~_enclosed(words, MINE, line, k)
        words[THEIR_FIVES + line] &= ~_enclosed(words, THEIRS, line, k)
        words[MY_FOURS + line] &= ~_frail(words, MINE, line, k)
        my_five = np.uint32(my_five | words[MY_FIVES + line])
        their_five = np.uint32(their_five | words[THEIR_FIVES + line])
        my_four = np.uint32(my_four | words[MY_FOURS + line])
    return my_five, their_five, my_four


@kernel
def drop_frail(words: NDArray[np.uint32], lines: np.uint64, k: int) -> None:
    """Leave in THEIR_FIVES what a stone beside the window does not spoil."""
    for index in range(lines):
        line = np.uint64(index)
        words[THEIR_FIVES + line] &= ~_frail(words, THEIRS, line, k)


@kernel
def drop_frail_fours(words: NDArray[np.uint32], place: NDArray[np.uint32], point: np.uint64, k: int) -> None:
    """Leave in MY_FOURS, on the lines through a point, what has no answer but one."""
    for at in range(point * PLACE, (point + np.uint64(1)) * PLACE, np.uint64(3)):
        line = np.uint64(place[at])
        words[MY_FOURS + line] &= ~_frail(words, MINE, line, k)


@kernel
def five_points(
    words: NDArray[np.uint32], row: np.uint64, lines: np.uint64, points: NDArray[np.int16], k: int
) -> tuple[int, bool]:
    """A point that completes a window of the row MY_FIVES or THEIR_FIVES, and whether there is another."""
    width = np.uint32((1 << k) - 1)
    first = NO_MOVE
    for line in range(lines):
        windows = words[row + line]
        while windows:
            hole = np.uint32(words[EMPTIES + line] & np.uint32(width << lowest_bit(windows)))
            windows = np.uint32(windows & (windows - ONE))
            point = int(points[line, lowest_bit(hole)])
            if first != NO_MOVE and point != first:
                return first, True
            first = point
    return first, False


@kernel
def find_active(words: NDArray[np.uint32], lines: int) -> None:
    """Set ACTIVE to the lines that have MY_FOURS."""
    for part in range(np.uint64(4)):
        words[ACTIVE + part] = 0
    for line in range(np.uint64(lines)):
        if words[MY_FOURS + line]:
            words[ACTIVE + (line >> np.uint64(5))] |= np.uint32(ONE << np.uint32(line & np.uint64(31)))


@kernel
def add_attacker(
    words: NDArray[np.uint32],
    place: NDArray[np.uint32],
    undo: np.uint64,
    point: np.uint64,
    k: int,
    my_exact: np.uint32,
) -> None:
    """Put a stone of MINE on a point and renew MY_FOURS; four words from `undo` keep what stood there."""
    for at in range(point * PLACE, (point + np.uint64(1)) * PLACE, np.uint64(3)):
        line, flag, cover = np.uint64(place[at]), place[at + FLAG], place[at + COVER]
        mine, empty = np.uint32(words[MINE + line] ^ flag), np.uint32(words[EMPTIES + line] ^ flag)
        words[MINE + line], words[EMPTIES + line] = mine, empty
        words[undo] = words[MY_FOURS + line]
        undo += np.uint64(1)
        reach = np.uint32(cover | np.uint32(np.uint32(flag << np.uint32(k)) - flag))
        if count_bits(np.uint32(mine & reach)) < k - 2:
            continue  # too few stones near by for a four that is made or spoilt here
        if k == 5:
            fours = _windows(mine, ZERO, empty, my_exact, ZERO, 5, 5)[2]
        else:
            fours = _windows(mine, ZERO, empty, my_exact, ZERO, k, MAX_K)[2]
        words[MY_FOURS + line] = fours
        words[ACTIVE + (line >> np.uint64(5))] |= np.uint32(ONE << np.uint32(line & np.uint64(31)))


@kernel
def add_defender(
    words: NDArray[np.uint32],
    place: NDArray[np.uint32],
    undo: np.uint64,
    point: np.uint64,
    k: int,
    their_exact: np.uint32,
    points: NDArray[np.int16],
) -> tuple[int, bool]:
    """Put a stone of THEIRS on a point and renew MY_FOURS; four words from `undo` keep what stood there.

    Returns a point that now completes a five of theirs, or NO_MOVE, and whether there is another.
    """
    first, more = NO_MOVE, False
    for at in range(point * PLACE, (point + np.uint64(1)) * PLACE, np.uint64(3)):
        line, flag, cover = np.uint64(place[at]), place[at + FLAG], place[at + COVER]
        theirs, empty = np.uint32(words[THEIRS + line] ^ flag), np.uint32(words[EMPTIES + line] ^ flag)
        words[THEIRS + line], words[EMPTIES + line] = theirs, empty
        words[undo] = words[MY_FOURS + line]
        undo += np.uint64(1)
        words[MY_FOURS + line] = np.uint32(words[MY_FOURS + line] & ~cover)
        span = np.uint32(np.uint32(flag << np.uint32(k)) - flag)
        if count_bits(np.uint32(theirs & (cover | span))) < k - 1:
            continue
        windows = _windows(ZERO, theirs, empty, ZERO, their_exact, k, MAX_K)[1]
        while windows:
            window = np.uint32(np.uint32((ONE << np.uint32(k)) - ONE) << lowest_bit(windows))
            windows = np.uint32(windows & (windows - ONE))
            five = int(points[line, lowest_bit(np.uint32(empty & window))])
            more = more or (first != NO_MOVE and five != first)
            first = five
    return first, more


@kernel
def remove_stone(
    words: NDArray[np.uint32], place: NDArray[np.uint32], undo: np.uint64, row: np.uint64, point: np.uint64
) -> None:
    """Take back the last stone that was added, of the row MINE or THEIRS."""
    for direction in range(np.uint64(4)):
        at = point * PLACE + (np.uint64(3) - direction) * np.uint64(3)
        line, flag = np.uint64(place[at]), place[at + FLAG]
        words[row + line] ^= flag
        words[EMPTIES + line] ^= flag
        words[MY_FOURS + line] = words[undo + np.uint64(3) - direction]
