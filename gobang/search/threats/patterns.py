"""Line patterns: what a stone would make on each empty point, kept up to date stone by stone.

For each empty point, player and direction there is one kind, which says how near to a row of k a
stone of that player there would come, along that line:

    FIVE         it completes a row that wins
    OPEN_FOUR    two points would complete one next
    FOUR         one point would
    OPEN_THREE   another stone would make an OPEN_FOUR
    THREE        another stone would make a FOUR
    ...          and so on, two steps of kinds for each stone that is missing

The names are those for k = 5; for another k a FOUR has k - 1 stones.  The kind follows from the
cells within reach on both sides of the point, each own, empty or blocked (the opponent's, or the
edge), so it is looked up in a table that is made once for a variant: the code of a point is a
number of base three with a digit for each of these cells.  Where the opponent's stones at both ends
take a row its win, the edge is a digit of its own, the base four, and an OPEN_FOUR is one that no
single stone of the opponent meets.

A profile sums the kinds of a point's four directions in one int64: above, how many of each of the
four highest kinds, so that profiles compare like threats; below, a weight for all of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import DIRECTIONS, Geometry, geometry
from gobang.rules.rule import ends_block, row_is_exact, row_wins
from gobang.types import EMPTY, Variant

NONE: Final = 0
ONE: Final = 1
OPEN_ONE: Final = 2
TWO: Final = 3
OPEN_TWO: Final = 4
THREE: Final = 5
OPEN_THREE: Final = 6
FOUR: Final = 7
OPEN_FOUR: Final = 8
FIVE: Final = 9
KINDS: Final = 10

# Levels of a point for one player: what a stone there would threaten in all directions together.
QUIET: Final = 0
OPEN_THREES: Final = 1  # in two directions
FOUR_AND_THREE: Final = 2  # a FOUR and an OPEN_THREE
WINS_NEXT: Final = 3  # an OPEN_FOUR, or FOURs in two directions: it wins unless the opponent wins first
WINS_NOW: Final = 4

_COUNTED: Final = 24  # bit from which on profiles count; three bits for each kind from OPEN_THREE to FIVE
_WEIGHTS: Final = (0, 1, 3, 5, 14, 15, 60, 60, 300, 1000)  # by kind
_UNIT_THREE: Final = 1 << _COUNTED
_UNIT_FOUR: Final = 1 << (_COUNTED + 3)
_UNIT_FIVE: Final = 1 << (_COUNTED + 9)
_LEVEL: Final = 1 << 20  # of an urgency; above all weights of a point

_OWN: Final = 1  # digits of a code; 0 is an empty cell
_BLOCKED: Final = 2
_EDGE: Final = 3  # where it differs from a stone of the opponent, else _BLOCKED


class Patterns(NamedTuple):
    """A board of two players with the kinds of all its empty points.  R is how far a point sees.

    What stands here of occupied points is what held when they were occupied, and holds again once
    the last stone is taken back.
    """

    cells: NDArray[np.int8]  # [A] EMPTY or player + 1
    codes: NDArray[np.int32]  # [2, A, 4] by player, point and direction
    profiles: NDArray[np.int64]  # [2, A]
    counts: NDArray[np.int32]  # [2, KINDS] how many kinds there are on the empty points
    tables: NDArray[np.uint8]  # [2, 3^2R or 4^2R] the kind of each code, by player
    powers: NDArray[np.int32]  # [2R] value of a code's digits: R cells behind, nearest last, then R ahead
    rooms: NDArray[np.int8]  # [A, 8] cells on the board in each direction and its opposite, at most R
    steps: NDArray[np.int16]  # [4] from a point to the next in a direction
    worth: NDArray[np.int64]  # [KINDS] what a kind adds to a profile


def pattern_board(variant: Variant, cells: NDArray[np.int8]) -> Patterns:
    """A board with the stones of `cells` [A]; its tables are shared by all boards of the variant."""
    blank = _blank(variant)
    patterns = blank._replace(
        cells=blank.cells.copy(),
        codes=blank.codes.copy(),
        profiles=blank.profiles.copy(),
        counts=blank.counts.copy(),
    )
    add_stones(patterns, cells)
    return patterns


@lru_cache(maxsize=16)
def _blank(variant: Variant) -> Patterns:
    tables, powers = _tables(variant.k, variant.rule)
    reach = len(powers) // 2
    rooms = _rooms(variant, reach)
    patterns = Patterns(
        cells=np.zeros(variant.points, np.int8),
        codes=_empty_codes(rooms, powers),
        profiles=np.zeros((2, variant.points), np.int64),
        counts=np.zeros((2, KINDS), np.int32),
        tables=tables,
        powers=powers,
        rooms=rooms,
        steps=np.array([down * variant.width + right for down, right in DIRECTIONS], np.int16),
        worth=np.array([_worth(kind) for kind in range(KINDS)], np.int64),
    )
    _count_all(patterns)
    return patterns


def _worth(kind: int) -> int:
    return _WEIGHTS[kind] + (1 << (_COUNTED + 3 * (kind - OPEN_THREE)) if kind >= OPEN_THREE else 0)


@lru_cache(maxsize=16)
def _tables(k: int, rule: str) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """`tables` and `powers` of a variant.  Where the ends of a row matter, a point sees one cell further."""
    smallest = geometry(Variant.square(k, k, rule))  # what a line is worth does not depend on the board
    reach = k if ends_block(smallest) or row_is_exact(smallest, 0) or row_is_exact(smallest, 1) else k - 1
    base = 4 if ends_block(smallest) else 3
    powers = base ** np.arange(2 * reach, dtype=np.int32)
    tables = np.zeros((2, base ** (2 * reach)), np.uint8)
    for player in (0, 1):
        fill_table(smallest, tables, player, powers)
    return tables, powers


def _rooms(variant: Variant, reach: int) -> NDArray[np.int8]:
    row, column = np.divmod(np.arange(variant.points), variant.width)
    up, down, right, left = variant.height - 1 - row, row, variant.width - 1 - column, column
    diagonals = (np.minimum(up, right), np.minimum(down, left), np.minimum(up, left), np.minimum(down, right))
    rooms: NDArray[np.int64] = np.stack([right, left, up, down, *diagonals], axis=1)
    return np.minimum(rooms, reach).astype(np.int8)


def _empty_codes(rooms: NDArray[np.int8], powers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Codes of an empty board, where only the edge blocks."""
    reach = len(powers) // 2
    distance = np.arange(1, reach + 1)
    ahead = (distance > rooms[:, 0::2, None]) @ powers[reach:]
    behind = (distance > rooms[:, 1::2, None]) @ powers[:reach][::-1]
    codes = (min(_EDGE, powers[1] - 1) * (ahead + behind)).astype(np.int32)
    return np.ascontiguousarray(np.stack([codes, codes]))


@kernel
def fill_table(geometry: Geometry, tables: NDArray[np.uint8], player: int, powers: NDArray[np.int32]) -> None:
    """Find the kind of every code, those with more own stones first."""
    for code in range(tables.shape[1] - 1, -1, -1):
        tables[player, code] = _kind(geometry, tables, player, powers, code)


@kernel
def _kind(geometry: Geometry, tables: NDArray[np.uint8], player: int, powers: NDArray[np.int32], code: int) -> int:
    reach = len(powers) // 2
    ahead, behind = _own_stones(powers, code, reach, 1), _own_stones(powers, code, reach - 1, -1)
    run = ahead + 1 + behind
    is_enclosed = run == geometry.k == reach and (
        _digit(powers, code, reach + ahead) == _digit(powers, code, reach - 1 - behind) == _BLOCKED
    )
    if row_wins(geometry, player, run, is_enclosed):
        return FIVE
    fives, best = 0, NONE
    for at in range(2 * reach):
        if _digit(powers, code, at) == EMPTY:
            kind = int(tables[player, code + _OWN * powers[at]])
            fives += kind == FIVE
            best = max(best, kind)
    if best == FIVE:
        is_open = _outlasts_a_stone(tables, player, powers, code) if ends_block(geometry) else fives >= 2
        return OPEN_FOUR if is_open else FOUR
    return max(best - 2, min(best, ONE))


@inlined
def _digit(powers: NDArray[np.int32], code: int, at: int) -> int:
    """What a code has in a place."""
    return int(code // powers[at] % powers[1])


@inlined
def _own_stones(powers: NDArray[np.int32], code: int, at: int, step: int) -> int:
    """How many own stones a code has from a digit on without a gap."""
    count = 0
    while 0 <= at < len(powers) and _digit(powers, code, at) == _OWN:
        count += 1
        at += step
    return count


@inlined
def _outlasts_a_stone(tables: NDArray[np.uint8], player: int, powers: NDArray[np.int32], code: int) -> bool:
    """Whether some point completes a row next wherever on the line the opponent plays before."""
    for reply in range(len(powers)):
        if _digit(powers, code, reply) != EMPTY:
            continue
        after, goes_on = code + _BLOCKED * powers[reply], False
        for at in range(len(powers)):
            if _digit(powers, after, at) == EMPTY:
                goes_on |= tables[player, after + _OWN * powers[at]] == FIVE
        if not goes_on:
            return False
    return True


@kernel
def _count_all(patterns: Patterns) -> None:
    """Fill `profiles` and `counts` of a board without stones."""
    for player in range(2):
        for point in range(len(patterns.cells)):
            for direction in range(4):
                kind = patterns.tables[player, patterns.codes[player, point, direction]]
                patterns.profiles[player, point] += patterns.worth[kind]
                patterns.counts[player, kind] += 1


@kernel
def add_stones(patterns: Patterns, cells: NDArray[np.int8]) -> None:
    """Put all stones of `cells` [A] on a board without any."""
    for point in range(len(cells)):
        if cells[point] != EMPTY:
            add_stone(patterns, point, int(cells[point]) - 1)


@kernel
def add_stone(patterns: Patterns, point: int, player: int) -> None:
    """Occupy an empty point."""
    _count_point(patterns, point, -1)
    patterns.cells[point] = player + 1
    _change_neighbours(patterns, point, player, 1)


@kernel
def remove_stone(patterns: Patterns, point: int) -> None:
    """Take back the last stone that was added."""
    player = int(patterns.cells[point]) - 1
    _change_neighbours(patterns, point, player, -1)
    patterns.cells[point] = EMPTY
    _count_point(patterns, point, 1)


@inlined
def _count_point(patterns: Patterns, point: int, sign: int) -> None:
    """Count the kinds of a point that becomes empty, or cease to."""
    for player in range(2):
        for direction in range(4):
            kind = patterns.tables[player, patterns.codes[player, point, direction]]
            patterns.counts[player, kind] += sign


@inlined
def _change_neighbours(patterns: Patterns, point: int, owner: int, sign: int) -> None:
    """Write a stone into the codes of the empty points that see it, or (sign -1) out of them."""
    codes, tables, worth = patterns.codes, patterns.tables, patterns.worth
    reach = len(patterns.powers) // 2
    for ray in range(8):
        direction, ahead = ray >> 1, ray & 1 == 0
        step = int(patterns.steps[direction]) if ahead else -int(patterns.steps[direction])
        for distance in range(1, patterns.rooms[point, ray] + 1):
            seer = point + distance * step
            if patterns.cells[seer] != EMPTY:
                continue
            power = sign * patterns.powers[reach - distance if ahead else reach - 1 + distance]
            for player in range(2):
                code = codes[player, seer, direction]
                changed = code + power * (_OWN if player == owner else _BLOCKED)
                codes[player, seer, direction] = changed
                before, after = tables[player, code], tables[player, changed]
                if before != after:
                    patterns.profiles[player, seer] += worth[after] - worth[before]
                    patterns.counts[player, before] -= 1
                    patterns.counts[player, after] += 1


@inlined
def level(profile: int) -> int:
    """What a stone would threaten on a point of this profile."""
    if wins_now(profile):
        return WINS_NOW
    if wins_next(profile):
        return WINS_NEXT
    threes = profile // _UNIT_THREE % 8
    if profile >= _UNIT_FOUR:
        return FOUR_AND_THREE if threes else QUIET
    return OPEN_THREES if threes >= 2 else QUIET


@inlined
def makes_four(profile: int) -> bool:
    """Whether a stone on a point of this profile must be answered at once, or wins."""
    return profile >= _UNIT_FOUR


@inlined
def wins_next(profile: int) -> bool:
    """Whether a stone on a point of this profile wins next, unless the opponent wins first, or at once."""
    return profile >= 2 * _UNIT_FOUR


@inlined
def wins_now(profile: int) -> bool:
    """Whether a stone on a point of this profile completes a row."""
    return profile >= _UNIT_FIVE


@inlined
def makes_three(profile: int) -> bool:
    """Whether a stone on a point of this profile would win next, if it is not answered, or makes a four."""
    return profile >= _UNIT_THREE


@inlined
def can_make_four(patterns: Patterns, player: int) -> bool:
    """Whether a player has a point where a stone makes a four or completes a row."""
    counts = patterns.counts[player]
    return bool(counts[FOUR] + counts[OPEN_FOUR] + counts[FIVE] > 0)


@inlined
def has_five(patterns: Patterns, player: int) -> bool:
    """Whether a player has a point where a stone completes a row."""
    return bool(patterns.counts[player, FIVE] > 0)


@kernel
def list_fives(patterns: Patterns, player: int, fives: NDArray[np.int16]) -> int:
    """List the empty points that complete a row for a player; returns how many."""
    count = 0
    if has_five(patterns, player):
        for point in range(len(patterns.cells)):
            if wins_now(patterns.profiles[player, point]) and patterns.cells[point] == EMPTY:
                fives[count] = point
                count += 1
    return count


@inlined
def urgency(patterns: Patterns, player: int, point: int) -> int:
    """How much a player wants an empty point: for its own patterns, or to deny the opponent's.

    The higher level of the two counts first, and at equal levels one's own.
    """
    own, other = patterns.profiles[player, point], patterns.profiles[1 - player, point]
    mine, theirs = level(own), level(other)
    rank = max(2 * mine + (mine > QUIET), 2 * theirs)
    return int(rank * _LEVEL + 3 * (own % _UNIT_THREE) + 2 * (other % _UNIT_THREE))


@kernel
def urgencies(patterns: Patterns, player: int, found: NDArray[np.int64]) -> None:
    """Fill `found` [A] with the urgency of each empty point; -1 on the others."""
    for point in range(len(found)):
        found[point] = urgency(patterns, player, point) if patterns.cells[point] == EMPTY else -1
