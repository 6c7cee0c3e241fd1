"""Threat-space search: is there a win by threats if the defender may play all replies to each at once?

After Allis, van den Herik and Huntjens (1994).  A three can be met at two or three points; here the
defender gets all of them for nothing.  So only the attacker chooses, and a search of one side alone
finds in microseconds the lines that are worth a proof.  It proves nothing itself: the defender could
have met a threat by a four of its own.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry
from gobang.rules.rule import may_play
from gobang.search.threats.patterns import (
    FIVE,
    Patterns,
    add_stone,
    makes_four,
    makes_three,
    remove_stone,
    wins_next,
    wins_now,
)
from gobang.types import EMPTY, NO_MOVE, Variant

_DEPTH: Final = 12  # most threats of a line
_MOST_REPLIES: Final = 4  # to one threat
_FREE: Final = 1  # threats of a line that need not build on each other
_ROWS: Final = np.uint64(1 << 14)

# What a stone of the attacker comes to.
_NO_THREAT: Final = 0
_THREAT: Final = 1  # all replies stand on the board
_DECISIVE: Final = 2  # there is no reply


class Frames(NamedTuple):
    """The boards on the way down; in each the attacker is to move."""

    next: NDArray[np.int64]  # [D] the threat in the list that is tried next
    end: NDArray[np.int64]  # [D] the end of the list
    stones: NDArray[np.int64]  # [D] how many stones had been added before the frame's threat


class CombinedWorkspace(NamedTuple):
    """Memory of the search for one variant and one thread.  D threats in a line."""

    moves: NDArray[np.int16]  # [D, A] threats to be tried
    frames: Frames
    threats: NDArray[np.int16]  # [D] the attacker's stones
    stones: NDArray[np.int16]  # [D * (1 + _MOST_REPLIES)] all stones that were added, in order
    hits: NDArray[np.int16]  # [A] how many ways to win a reply on a point spoils
    fives: NDArray[np.int16]  # [A] scratch: points that complete a five
    keys: NDArray[np.uint64]  # [D] of the stones on the board
    failed: NDArray[np.uint64]  # [_ROWS] keys of boards from which no line was found


def combined_workspace(variant: Variant) -> CombinedWorkspace:
    """Memory for `has_combined_win`."""
    return CombinedWorkspace(
        moves=np.zeros((_DEPTH, variant.points), np.int16),
        frames=Frames(*(np.zeros(_DEPTH, np.int64) for _ in Frames._fields)),
        threats=np.zeros(_DEPTH, np.int16),
        stones=np.zeros(_DEPTH * (1 + _MOST_REPLIES), np.int16),
        hits=np.zeros(variant.points, np.int16),
        fives=np.zeros(variant.points, np.int16),
        keys=np.zeros(_DEPTH, np.uint64),
        failed=np.zeros(int(_ROWS), np.uint64),
    )


@kernel
def has_combined_win(
    geometry: Geometry,
    patterns: Patterns,
    workspace: CombinedWorkspace,
    attacker: int,
    key: np.uint64,
    first: int,
    node_limit: int,
) -> tuple[bool, int]:
    """(whether a line of threats that begins with `first` wins, nodes); the board is left as it was.

    `key` is the board's.  False may also mean that the limit was reached.
    """
    frames, failed = workspace.frames, workspace.failed
    workspace.keys[0] = key ^ geometry.turn_key[attacker]
    workspace.moves[0, 0] = first
    frames.next[0], frames.end[0] = 0, 1
    depth, nodes, stones = 0, 0, 0
    won = False
    while not won and nodes < node_limit:
        if frames.next[depth] == frames.end[depth]:
            if depth == 0:
                break
            failed[workspace.keys[depth] % _ROWS] = workspace.keys[depth]
            depth -= 1
            stones = _take_back(patterns, workspace, stones, frames.stones[depth])
            continue
        point = int(workspace.moves[depth, frames.next[depth]])
        frames.next[depth] += 1
        frames.stones[depth] = stones
        nodes += 1
        verdict, stones = _threaten(geometry, patterns, workspace, attacker, point, stones)
        won = verdict == _DECISIVE
        if verdict == _THREAT and depth + 1 < _DEPTH:
            workspace.threats[depth] = point
            if _is_new(geometry, patterns, workspace, depth, stones):
                depth += 1
                won = _list_threats(geometry, patterns, workspace, attacker, depth)
                continue
        stones = _take_back(patterns, workspace, stones, frames.stones[depth])
    _take_back(patterns, workspace, stones, 0)
    return won, nodes


@inlined
def _is_new(geometry: Geometry, patterns: Patterns, workspace: CombinedWorkspace, depth: int, stones: int) -> bool:
    """Whether the board that a frame's threat led to has not failed before; writes its key."""
    key = workspace.keys[depth]
    for index in range(workspace.frames.stones[depth], stones):
        point = workspace.stones[index]
        key ^= geometry.stone_key[patterns.cells[point] - 1, point]
    workspace.keys[depth + 1] = key
    return bool(workspace.failed[key % _ROWS] != key)


@inlined
def _take_back(patterns: Patterns, workspace: CombinedWorkspace, stones: int, left: int) -> int:
    """Remove all stones but the first `left`, which is returned."""
    for index in range(stones - 1, left - 1, -1):
        remove_stone(patterns, workspace.stones[index])
    return left


@kernel
def _threaten(
    geometry: Geometry, patterns: Patterns, workspace: CombinedWorkspace, attacker: int, point: int, stones: int
) -> tuple[int, int]:
    """Put a stone of the attacker and all replies on the board; (what it comes to, stones added by now)."""
    if not may_play(geometry, patterns.cells, point, attacker):
        return _NO_THREAT, stones
    four = makes_four(patterns.profiles[attacker, point])
    add_stone(patterns, point, attacker)
    workspace.stones[stones] = point
    stones += 1
    fives, count = workspace.fives, 0
    if four:
        count = list_fives(patterns, attacker, fives)
        if count != 1 or not may_play(geometry, patterns.cells, fives[0], 1 - attacker):
            return (_DECISIVE if count > 0 else _NO_THREAT), stones
    else:
        count, is_threat = _list_common_replies(geometry, patterns, workspace, attacker)
        if count == 0 or count > _MOST_REPLIES:
            return (_DECISIVE if is_threat and count == 0 else _NO_THREAT), stones
    for index in range(count):
        add_stone(patterns, fives[index], 1 - attacker)
        workspace.stones[stones] = fives[index]
        stones += 1
    return _THREAT, stones


@kernel
def list_fives(patterns: Patterns, player: int, fives: NDArray[np.int16]) -> int:
    """List the empty points that complete a row for a player; returns how many."""
    count = 0
    if patterns.counts[player, FIVE] > 0:
        for point in range(len(patterns.cells)):
            if wins_now(patterns.profiles[player, point]) and patterns.cells[point] == EMPTY:
                fives[count] = point
                count += 1
    return count


@kernel
def _list_common_replies(
    geometry: Geometry, patterns: Patterns, workspace: CombinedWorkspace, attacker: int
) -> tuple[int, bool]:
    """(how many points spoil each way to win next, now in `fives`; whether there is such a way)."""
    hits, ways = workspace.hits, 0
    for point in range(len(hits)):
        hits[point] = 0
    for point in range(len(hits)):
        if wins_next(patterns.profiles[attacker, point]) and patterns.cells[point] == EMPTY:
            if not may_play(geometry, patterns.cells, point, attacker):
                continue
            ways += 1
            hits[point] += 1
            add_stone(patterns, point, attacker)
            count = list_fives(patterns, attacker, workspace.fives)
            remove_stone(patterns, point)
            for index in range(count if count == 2 else 0):
                hits[workspace.fives[index]] += 1
    count = 0
    for point in range(len(hits) if ways > 0 else 0):
        if hits[point] == ways:
            workspace.fives[count] = point
            count += 1
    return count, ways > 0


@kernel
def _list_threats(
    geometry: Geometry, patterns: Patterns, workspace: CombinedWorkspace, attacker: int, depth: int
) -> bool:
    """List a frame's threats; True if one of them wins."""
    frames, moves = workspace.frames, workspace.moves[depth]
    frames.next[depth] = frames.end[depth] = 0
    if patterns.counts[attacker, FIVE] > 0:
        return True
    blocks = list_fives(patterns, 1 - attacker, workspace.fives)
    only = workspace.fives[0] if blocks > 0 else NO_MOVE
    end = 0
    for point in range(len(patterns.cells) if blocks < 2 else 0):
        profile = patterns.profiles[attacker, point]
        if not makes_three(profile) or patterns.cells[point] != EMPTY or (only != NO_MOVE and point != only):
            continue
        if wins_next(profile):
            if may_play(geometry, patterns.cells, point, attacker):
                return True
        elif depth < _FREE or only != NO_MOVE or _builds_on(geometry, workspace, depth, point):
            moves[end] = point
            end += 1
    frames.end[depth] = end
    return False


@inlined
def _builds_on(geometry: Geometry, workspace: CombinedWorkspace, depth: int, point: int) -> bool:
    """Whether a point lies on a line with a stone of the threats so far, near enough for a row."""
    width = geometry.width
    row, column = point // width, point % width
    for index in range(depth):
        other = int(workspace.threats[index])
        down, right = abs(other // width - row), abs(other % width - column)
        if max(down, right) < geometry.k and (down == 0 or right == 0 or down == right):
            return True
    return False
