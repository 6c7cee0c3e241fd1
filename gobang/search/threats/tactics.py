"""The tactical solver: what is certain about a position without any evaluation.

In this order: a win in one; a loss because the next player has two ways to win, or one that may not
be blocked; a forced block; and, for two players, victory by continuous fours (VCF).  In a VCF each
move of the attacker threatens to win at one point, so that the defender has a single answer, until
one move threatens at two points.  An answer may complete a four of the defender; then the attacker
has a single move.  Nothing is claimed that the rules do not grant: under renju black's fours and
answers must be allowed, and if black has no legal move left the game is a draw, not a win.  Where an
enclosed row does not win, a stone at its end may be an answer too: only fours without such an answer
are played, and a five that has one forces no block.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import has_legal_move
from gobang.rules.compiled import inlined, kernel, lowest_bit
from gobang.rules.geometry import Geometry
from gobang.rules.rule import ends_block, forbids_points, may_play, row_is_exact
from gobang.search.threats.line_threats import (
    ACTIVE,
    ALL,
    EMPTIES,
    MINE,
    MY_FIVES,
    MY_FOURS,
    ONE,
    PLACE,
    THEIR_FIVES,
    THEIRS,
    UNDO,
    ZERO,
    add_attacker,
    add_defender,
    drop_enclosed,
    drop_frail,
    drop_frail_fours,
    find_active,
    find_threats,
    five_points,
    line_words,
    places,
    remove_stone,
    set_stones,
)
from gobang.types import EMPTY, NO_MOVE, Variant

NOTHING: Final = 0  # no verdict
WIN: Final = 1  # the side to move wins by force
LOSS: Final = 2  # the next player wins whatever is played
FORCED: Final = 3  # all points but one lose at once

_TWO_ANSWERS: Final = -2  # in place of the answer to a four: there are two
_TABLE_SIZE: Final = np.uint64(4096)
_SALT: Final = np.uint64(0x9E3779B97F4A7C15)


class Fours(NamedTuple):
    """The fours that can be made in the frames, a stack of lists."""

    point: NDArray[np.int16]  # [D * A]
    answer: NDArray[np.int16]  # [D * A] where the defender must play, or _TWO_ANSWERS


class Frames(NamedTuple):
    """The positions on the way down; in each the attacker is to move."""

    next: NDArray[np.int64]  # [D] the four in the list that is tried next
    end: NDArray[np.int64]  # [D] the end of the frame's fours
    four: NDArray[np.int64]  # [D] the attacker's stone that leads to the frame below,
    answer: NDArray[np.int64]  # [D] and the defender's


class TacticsWorkspace(NamedTuple):
    """Memory of the solver for one variant and one thread.  D is the depth in pairs of stones."""

    words: NDArray[np.uint32]  # line words, see `threats`
    place: NDArray[np.uint32]  # [A * PLACE] see `threats.places`
    cells: NDArray[np.int8]  # [A] the board; kept up to date in the VCF search only where points are forbidden
    chunks: NDArray[np.uint64]  # the same memory, eight points in a word
    seen: NDArray[np.int64]  # [A + 1] stamp + index of a point among a frame's fours; last: next stamp
    fours: Fours
    frames: Frames
    keys: NDArray[np.uint64]  # [D] hash of the stones that were added
    refuted: NDArray[np.uint64]  # [_TABLE_SIZE] keys of nodes from which there is no VCF
    length: NDArray[np.int64]  # [1] fours of the VCF found last; they stand in `frames`


def tactics_workspace(variant: Variant, node_limit: int) -> TacticsWorkspace:
    """Memory for `solve` with at most `node_limit` nodes."""
    points = variant.points
    depth = min(points, node_limit) // 2 + 1
    chunks = np.zeros((points + 63) // 64 * 8, np.uint64)
    seen = np.zeros(points + 1, np.int64)
    seen[-1] = 1
    return TacticsWorkspace(
        words=line_words(variant, 2 * depth),
        place=places(variant),
        cells=chunks.view(np.int8)[:points],
        chunks=chunks,
        seen=seen,
        fours=Fours(np.zeros(depth * points, np.int16), np.zeros(depth * points, np.int16)),
        frames=Frames(*(np.zeros(depth, np.int64) for _ in Frames._fields)),
        keys=np.zeros(depth, np.uint64),
        refuted=np.zeros(int(_TABLE_SIZE), np.uint64),
        length=np.zeros(1, np.int64),
    )


@kernel
def solve(
    geometry: Geometry, workspace: TacticsWorkspace, cells: NDArray[np.int8], to_move: int, node_limit: int
) -> tuple[int, int, int]:
    """(verdict, point, nodes) for a position that is not decided and has a legal move.

    The point is the winning move of WIN, the only move of FORCED, else NO_MOVE.  `node_limit` is
    the most stones that the VCF search may place; with 0 there is none.
    """
    words = workspace.words
    for point in range(len(cells)):
        workspace.cells[point] = cells[point]
    my_exact, their_exact = _exactness(geometry, to_move)
    lines = np.uint64((len(geometry.mask) + 15) // 16 * 16)
    set_stones(words, workspace.place, workspace.cells, workspace.chunks, to_move, geometry.players)
    my_five, their_five, my_four = find_threats(words, lines, geometry.k, my_exact, their_exact)
    if ends_block(geometry):
        my_five, their_five, my_four = drop_enclosed(words, lines, geometry.k)
    if my_five:
        return WIN, five_points(words, MY_FIVES, lines, geometry.point, geometry.k)[0], 0
    block, is_forced, nodes = NO_MOVE, False, 0
    if their_five:
        block, more = five_points(words, THEIR_FIVES, lines, geometry.point, geometry.k)
        is_forced = True
        if ends_block(geometry):
            drop_frail(words, lines, geometry.k)
            only, several = five_points(words, THEIR_FIVES, lines, geometry.point, geometry.k)
            if more and not several:
                return (NOTHING if only == NO_MOVE else FORCED), only, 0
            is_forced = only != NO_MOVE
        if more or not may_play(geometry, cells, block, to_move):
            return LOSS, NO_MOVE, 0
    if my_four and node_limit > 0 and geometry.players == 2:
        point, nodes = _continuous_fours(geometry, workspace, to_move, block, node_limit)
        if point != NO_MOVE:
            return WIN, point, nodes
    return (FORCED, block, nodes) if is_forced else (NOTHING, NO_MOVE, nodes)


@inlined
def _exactness(geometry: Geometry, to_move: int) -> tuple[np.uint32, np.uint32]:
    """Whether only exactly k wins, as ALL or ZERO, for the side to move and the next."""
    following = to_move + 1 if to_move + 1 < geometry.players else 0
    my_exact = ALL if row_is_exact(geometry, to_move) else ZERO
    return my_exact, ALL if row_is_exact(geometry, following) else ZERO


@kernel
def _continuous_fours(
    geometry: Geometry, workspace: TacticsWorkspace, to_move: int, block: int, node_limit: int
) -> tuple[int, int]:
    """(first move, nodes) of a VCF, whose first move is `block` if that is a point; NO_MOVE if none is found.

    Depth first.  In each frame the attacker is to move and has no five to complete; the defender
    has at most one, and then the attacker's only move is there.
    """
    frames, keys, refuted = workspace.frames, workspace.keys, workspace.refuted
    salt = np.uint64(workspace.seen[len(workspace.seen) - 1]) * _SALT
    keys[0] = salt
    find_active(workspace.words, len(geometry.mask))
    depth, nodes = 0, 0
    won = _open_frame(geometry, workspace, to_move, depth, block)
    while not won:
        if frames.next[depth] == frames.end[depth]:
            if depth == 0:
                return NO_MOVE, nodes
            refuted[(keys[depth] ^ salt) % _TABLE_SIZE] = keys[depth]
            depth -= 1
            _take_back(geometry, workspace, depth)
            continue
        if nodes + 2 > node_limit or depth + 1 == len(keys):
            return NO_MOVE, nodes
        verdict = _next_four(geometry, workspace, to_move, depth)
        if verdict == WIN:
            break
        if verdict == LOSS:
            continue
        nodes += 2
        five, more = _place(geometry, workspace, to_move, depth)
        key = keys[depth + 1]
        if more or refuted[(key ^ salt) % _TABLE_SIZE] == key:
            _take_back(geometry, workspace, depth)
            continue
        depth += 1
        won = _open_frame(geometry, workspace, to_move, depth, five)
    workspace.length[0] = depth + 1
    return int(frames.four[0]), nodes


@inlined
def _open_frame(geometry: Geometry, workspace: TacticsWorkspace, to_move: int, depth: int, only: int) -> bool:
    """List the fours of a frame; True if one of them, now the frame's own, wins because it has two answers."""
    frames = workspace.frames
    start = frames.end[depth - 1] if depth > 0 else 0
    end, double = _list_fours(geometry, workspace, start, only)
    if double != NO_MOVE and forbids_points(geometry):
        double = _winning_double(geometry, workspace, to_move, start, end)
    frames.next[depth], frames.end[depth] = start, end
    if double != NO_MOVE:
        frames.four[depth] = workspace.fours.point[double]
    return double != NO_MOVE


@inlined
def _next_four(geometry: Geometry, workspace: TacticsWorkspace, to_move: int, depth: int) -> int:
    """Choose a frame's next four: WIN if it may not be answered, LOSS if it cannot be used, else NOTHING."""
    frames, cells = workspace.frames, workspace.cells
    index = frames.next[depth]
    four, answer = int(workspace.fours.point[index]), int(workspace.fours.answer[index])
    frames.next[depth], frames.four[depth], frames.answer[depth] = index + 1, four, answer
    if not forbids_points(geometry):
        return NOTHING
    if answer == _TWO_ANSWERS or not may_play(geometry, cells, four, to_move):
        return LOSS
    verdict = NOTHING
    cells[four] = to_move + 1
    if not may_play(geometry, cells, answer, 1 - to_move):
        verdict = WIN if has_legal_move(geometry, cells, 1 - to_move) else LOSS
    cells[four] = EMPTY
    return verdict


@inlined
def _place(geometry: Geometry, workspace: TacticsWorkspace, to_move: int, depth: int) -> tuple[int, bool]:
    """Put a frame's four and answer on the board; the defender's five point then, or NO_MOVE, and if it has more."""
    four, answer = np.uint64(workspace.frames.four[depth]), np.uint64(workspace.frames.answer[depth])
    if forbids_points(geometry):
        workspace.cells[four], workspace.cells[answer] = to_move + 1, 2 - to_move
    stones = geometry.stone_key[to_move, four] ^ geometry.stone_key[1 - to_move, answer]
    workspace.keys[depth + 1] = workspace.keys[depth] ^ stones
    my_exact, their_exact = _exactness(geometry, to_move)
    words, place = workspace.words, workspace.place
    undo = UNDO + np.uint64(8 * depth)
    add_attacker(words, place, undo, four, geometry.k, my_exact)
    five = add_defender(words, place, undo + np.uint64(4), answer, geometry.k, their_exact, geometry.point)
    if ends_block(geometry):
        drop_frail_fours(words, place, four, geometry.k)
        drop_frail_fours(words, place, answer, geometry.k)
    return five


@inlined
def _take_back(geometry: Geometry, workspace: TacticsWorkspace, depth: int) -> None:
    four, answer = np.uint64(workspace.frames.four[depth]), np.uint64(workspace.frames.answer[depth])
    undo = UNDO + np.uint64(8 * depth)
    remove_stone(workspace.words, workspace.place, undo + np.uint64(4), THEIRS, answer)
    remove_stone(workspace.words, workspace.place, undo, MINE, four)
    if forbids_points(geometry):
        workspace.cells[four] = workspace.cells[answer] = EMPTY


@kernel
def _list_fours(geometry: Geometry, workspace: TacticsWorkspace, start: int, only: int) -> tuple[int, int]:
    """List from `start` the fours that can be made, or only the one on a point, each with its answer.

    Returns the end of the list, and the index of a four with two answers or NO_MOVE.
    """
    words, place, seen = workspace.words, workspace.place, workspace.seen
    end, double = start, NO_MOVE
    if only != NO_MOVE:
        for at in range(np.uint64(only) * PLACE, np.uint64(only + 1) * PLACE, np.uint64(3)):
            end, double = _list_line(geometry, workspace, np.uint64(place[at]), start, end, double, only)
    else:
        for part in range(np.uint64(4)):
            lines = words[ACTIVE + part]
            while lines:
                line = part * np.uint64(32) + np.uint64(lowest_bit(lines))
                lines = np.uint32(lines & (lines - ONE))
                end, double = _list_line(geometry, workspace, line, start, end, double, only)
    seen[len(seen) - 1] += end
    return end, double


@inlined
def _list_line(
    geometry: Geometry, workspace: TacticsWorkspace, line: np.uint64, start: int, end: int, double: int, only: int
) -> tuple[int, int]:
    """Add the fours of one line to a list; see `_list_fours`."""
    words, points, seen, fours = workspace.words, geometry.point, workspace.seen, workspace.fours
    width = np.uint32((1 << geometry.k) - 1)
    stamp = seen[len(seen) - 1]
    windows = words[MY_FOURS + line]
    while windows:
        pair = np.uint32(words[EMPTIES + line] & np.uint32(width << lowest_bit(windows)))
        windows = np.uint32(windows & (windows - ONE))
        four = points[line, lowest_bit(pair)]
        answer = points[line, lowest_bit(np.uint32(pair & (pair - ONE)))]
        for _ in range(2):
            index = seen[np.uint64(four)] - stamp
            if only != NO_MOVE and four != only:
                pass
            elif index < start:
                seen[np.uint64(four)] = stamp + end
                fours.point[end], fours.answer[end] = four, answer
                end += 1
            elif fours.answer[index] != answer:
                fours.answer[index] = _TWO_ANSWERS
                double = index
            four, answer = answer, four
    return end, double


@kernel
def _winning_double(geometry: Geometry, workspace: TacticsWorkspace, to_move: int, start: int, end: int) -> int:
    """A four with two answers that may be played and leaves the other side a move, or NO_MOVE."""
    cells, fours = workspace.cells, workspace.fours
    for index in range(start, end):
        point = int(fours.point[index])
        if fours.answer[index] != _TWO_ANSWERS or not may_play(geometry, cells, point, to_move):
            continue
        cells[point] = to_move + 1
        goes_on = has_legal_move(geometry, cells, 1 - to_move)
        cells[point] = EMPTY
        if goes_on:
            return index
    return NO_MOVE


@kernel
def solve_many(
    geometry: Geometry,
    workspace: TacticsWorkspace,
    cells: NDArray[np.int8],
    to_move: NDArray[np.int8],
    node_limit: int,
    repeats: int,
) -> int:
    """Solve positions [B, A] again and again, for benchmarks; returns the nodes of all."""
    nodes = 0
    for _ in range(repeats):
        for index in range(len(cells)):
            nodes += solve(geometry, workspace, cells[index], int(to_move[index]), node_limit)[2]
    return nodes
