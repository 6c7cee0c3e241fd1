"""The kernel of the search by depth: a position opened, a move played or taken back at a time.

The stack lies in arrays, a frame for each ply, so that `advance` can be interrupted after any number
of positions and go on.  Values are for the side to move: WON less the number of plies until
the win, or a sum over the patterns of both sides.  See `alphabeta` for what is searched.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry
from gobang.rules.rule import ends_block, has_forbidden_points, may_play
from gobang.search.depth.transpositions import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    SEARCHES,
    UNKNOWN,
    look_up,
    remember,
    transposition_table,
)
from gobang.search.threats.patterns import (
    FIVE,
    FOUR,
    KINDS,
    OPEN_FOUR,
    WINS_NEXT,
    WINS_NOW,
    Patterns,
    add_stone,
    level,
    makes_four,
    remove_stone,
    urgency,
)
from gobang.search.threats.tactics import WIN, TacticsWorkspace, solve
from gobang.types import EMPTY, NO_MOVE, Variant

MODES: Final = ("minimax", "alphabeta", "pvs")
MINIMAX: Final = MODES.index("minimax")
PVS: Final = MODES.index("pvs")

WON: Final = 100_000
PROVEN: Final = WON - 1000  # values beyond this are wins or losses
_INFINITE: Final = WON + 1
MOST_DEPTH: Final = 60
_MOST_PLIES: Final = 100  # more than MOST_DEPTH, since forced answers cost no depth
FOURS_LENGTH: Final = 9  # plies that a win by continuous fours counts as
_LEAF_STONES: Final = 200  # most stones that the solver of fours places in a position
_ROWS: Final = 1 << 18  # of the transposition table, 4 MB
_REDUCED_FROM: Final = 4  # the choice from which on `pvs` reduces depth,
_REDUCED_DEPTH: Final = 3  # where at least this depth is left

# What a kind on an empty point is worth: to the side to move, and to its opponent.
# Rounded by hand from logistic fits to the results of games that the search played against itself:
# 700 on 15x15 and 1000 on 8x8.
_WORTH: Final = (
    (0, 1, 2, 2, 8, 12, 45, 60, 40, 0),
    (0, 1, 2, 2, 7, 10, 38, 60, 140, 0),
)

_TEMPO: Final = 100  # and to be the one to move, so that values to odd and to even depths compare

_FULL: Final = 0  # phases: with the whole window,
_SCOUT: Final = 1  # with an empty window,
_REDUCED: Final = 2  # with an empty window and less depth


class Settings(NamedTuple):
    """A configuration as kernels see it."""

    mode: int
    threats: bool
    reduced: bool  # late choices of `pvs` first with less depth
    width: int
    to_move: int  # at the root


class Frames(NamedTuple):
    """The positions from the root to the one at hand, D = _MOST_PLIES + 1 of them at most."""

    alpha: NDArray[np.int64]  # [D]
    beta: NDArray[np.int64]  # [D]
    floor: NDArray[np.int64]  # [D] alpha when the frame was opened
    best: NDArray[np.int64]  # [D]
    best_move: NDArray[np.int64]  # [D]
    depth: NDArray[np.int64]  # [D] plies left
    move: NDArray[np.int64]  # [D] the choice on the board
    tried: NDArray[np.int64]  # [D] how many choices have been
    end: NDArray[np.int64]  # [D] how many choices are listed
    phase: NDArray[np.int64]  # [D] how the choice is searched


class Status(NamedTuple):
    """The state of a search; each is one number, [1]."""

    ply: NDArray[np.int64]
    entering: NDArray[np.int64]  # 1 if the frame at the ply has just been reached
    nodes: NDArray[np.int64]  # positions so far
    ended: NDArray[np.int64]  # 1 if the root's value is known
    search: NDArray[np.int64]  # number of this search


class Stack(NamedTuple):
    """Memory of a search by depth."""

    frames: Frames
    keys: NDArray[np.uint64]  # [_MOST_PLIES + 1]
    moves: NDArray[np.int16]  # [_MOST_PLIES + 1, A] choices
    orders: NDArray[np.int64]  # [_MOST_PLIES + 1, A] higher is earlier
    killers: NDArray[np.int16]  # [_MOST_PLIES + 1, 2] moves that cut off, newest first
    history: NDArray[np.int64]  # [2, A] how often a point cut off, by player
    noise: NDArray[np.int64]  # [A] the order among equals
    table: NDArray[np.int64]  # see `transpositions`
    worth: NDArray[np.int64]  # [2, KINDS]
    status: Status


def empty_stack(variant: Variant) -> Stack:
    """Memory for searches of a variant."""
    plies, points = _MOST_PLIES + 1, variant.points
    return Stack(
        frames=Frames(*np.zeros((len(Frames._fields), plies), np.int64)),
        keys=np.zeros(plies, np.uint64),
        moves=np.zeros((plies, points), np.int16),
        orders=np.zeros((plies, points), np.int64),
        killers=np.full((plies, 2), NO_MOVE, np.int16),
        history=np.zeros((2, points), np.int64),
        noise=np.zeros(points, np.int64),
        table=transposition_table(_ROWS),
        worth=np.array(_WORTH, np.int64),
        status=Status(*np.zeros((len(Status._fields), 1), np.int64)),
    )


def begin_search(stack: Stack, key: int, noise: NDArray[np.int64]) -> None:
    """Forget the last search; `key` is the root's, `noise` [A] the order among equals, numbers below 1024."""
    stack.killers[:] = NO_MOVE
    stack.history[:] = 0
    stack.noise[:] = noise
    stack.keys[0] = key
    stack.status.nodes[0] = 0
    stack.status.search[0] = stack.status.search[0] % (SEARCHES - 1) + 1


def open_root(stack: Stack, depth: int) -> None:
    """Set the root up to be searched to a depth."""
    frames, status = stack.frames, stack.status
    for column in frames:
        column[0] = 0
    frames.alpha[0], frames.beta[0], frames.depth[0] = -_INFINITE, _INFINITE, depth
    frames.best_move[0] = NO_MOVE
    status.ply[0], status.entering[0], status.ended[0] = 0, 1, 0


def best_at_root(stack: Stack) -> tuple[int, int]:
    """(move, value) of the best choice that has been searched to the depth; NO_MOVE before the first has."""
    return int(stack.frames.best_move[0]), int(stack.frames.best[0])


def has_ended(stack: Stack) -> bool:
    """Whether the root's value is known to its depth."""
    return bool(stack.status.ended[0])


def nodes(stack: Stack) -> int:
    """Positions searched since `begin_search`."""
    return int(stack.status.nodes[0])


@kernel
def advance(
    geometry: Geometry, patterns: Patterns, tactics: TacticsWorkspace, stack: Stack, settings: Settings, nodes: int
) -> None:
    """Search up to `nodes` positions more, or until the root's value is known."""
    status = stack.status
    ply = status.ply[0]
    entering = status.entering[0] == 1
    limit = status.nodes[0] + nodes
    while status.ended[0] == 0 and (status.nodes[0] < limit or not entering):
        settled, value = False, 0
        if entering:
            status.nodes[0] += 1
            settled, value = _enter(geometry, patterns, tactics, stack, settings, ply)
            entering = False
        if not settled:
            if _play_next(geometry, patterns, stack, settings, ply):
                ply, entering = ply + 1, True
                continue
            value = _close(stack, settings, ply)
        if ply == 0:
            status.ended[0] = 1
            continue
        ply -= 1
        if _take(patterns, stack, settings, ply, -value):
            _set_child(geometry, patterns, stack, settings, ply)
            ply, entering = ply + 1, True
    status.ply[0], status.entering[0] = ply, int(entering)


@inlined
def _enter(
    geometry: Geometry, patterns: Patterns, tactics: TacticsWorkspace, stack: Stack, settings: Settings, ply: int
) -> tuple[bool, int]:
    """(True, value) for a frame that needs no search, else its choices are listed."""
    frames = stack.frames
    mover = (settings.to_move + ply) % 2
    frames.floor[ply], frames.best[ply], frames.best_move[ply] = frames.alpha[ply], -_INFINITE, NO_MOVE
    frames.tried[ply] = frames.end[ply] = 0
    forced = NO_MOVE
    if ply > 0:
        settled, value, forced = _certain(geometry, patterns, tactics, settings, mover, ply)
        if settled:
            return True, value
        if patterns.counts[1 - mover, FIVE] > 0 and settings.threats:
            frames.depth[ply] += 1
        if frames.depth[ply] <= 0 or ply == _MOST_PLIES:
            return True, static_value(patterns, stack.worth, mover)
    known_move = NO_MOVE
    if settings.mode != MINIMAX:
        bound, value, depth, known_move = look_up(stack.table, stack.keys[ply], stack.status.search[0])
        if ply > 0 and bound != UNKNOWN and depth >= frames.depth[ply]:
            if value > PROVEN:
                value -= ply
            elif value < -PROVEN:
                value += ply
            exact = bound == EXACT
            if (
                exact
                or (bound == AT_LEAST and value >= frames.beta[ply])
                or (bound == AT_MOST and value <= frames.alpha[ply])
            ):
                return True, value
    _list_choices(patterns, stack, settings, mover, ply, forced, known_move)
    return False, 0


@inlined
def _certain(
    geometry: Geometry, patterns: Patterns, tactics: TacticsWorkspace, settings: Settings, mover: int, ply: int
) -> tuple[bool, int, int]:
    """(True, value, NO_MOVE) if it is known who wins, else (False, 0, the forced move or NO_MOVE)."""
    mine, theirs = patterns.counts[mover], patterns.counts[1 - mover]
    if mine[FIVE] > 0:
        return True, WON - (ply + 1), NO_MOVE
    forced = NO_MOVE
    if theirs[FIVE] > 0 and ends_block(geometry):
        answers, forced = _answers_to_five(patterns, mover)
        return answers == 0, -(WON - (ply + 2)), forced if answers == 1 else NO_MOVE
    if theirs[FIVE] > 0:
        for point in range(len(patterns.cells)):
            if patterns.cells[point] == EMPTY and level(patterns.profiles[1 - mover, point]) == WINS_NOW:
                if forced != NO_MOVE:
                    return True, -(WON - (ply + 2)), NO_MOVE
                forced = point
        if not may_play(geometry, patterns.cells, forced, mover):
            return True, -(WON - (ply + 2)), NO_MOVE
    elif mine[OPEN_FOUR] > 0 and not has_forbidden_points(geometry, mover):
        return True, WON - (ply + 3), NO_MOVE
    if settings.threats and mine[FOUR] + mine[OPEN_FOUR] > 0:
        verdict = solve(geometry, tactics, patterns.cells, mover, _LEAF_STONES)[0]
        if verdict == WIN:
            return True, WON - (ply + FOURS_LENGTH), NO_MOVE
    return False, 0, forced


@inlined
def _answers_to_five(patterns: Patterns, mover: int) -> tuple[int, int]:
    """(how many points leave the opponent no five to complete, the last of them); a stone beside the row may do."""
    answers, last = 0, NO_MOVE
    for point in range(len(patterns.cells)):
        if patterns.cells[point] == EMPTY:
            add_stone(patterns, point, mover)
            if patterns.counts[1 - mover, FIVE] == 0:
                answers, last = answers + 1, point
            remove_stone(patterns, point)
    return answers, last


@kernel
def static_value(patterns: Patterns, worth: NDArray[np.int64], mover: int) -> int:
    """The worth of both sides' patterns to the side to move."""
    value = _TEMPO
    for kind in range(KINDS):
        value += worth[0, kind] * patterns.counts[mover, kind]
        value -= worth[1, kind] * patterns.counts[1 - mover, kind]
    return int(value)


@inlined
def _list_choices(
    patterns: Patterns, stack: Stack, settings: Settings, mover: int, ply: int, forced: int, known_move: int
) -> None:
    """List the empty points with their order; only those that meet a threat, if there is one."""
    frames, moves, orders = stack.frames, stack.moves[ply], stack.orders[ply]
    threatened, end = False, 0
    for point in range(len(patterns.cells)):
        if patterns.cells[point] != EMPTY or (forced != NO_MOVE and point != forced):
            continue
        threatened |= level(patterns.profiles[1 - mover, point]) == WINS_NEXT
        order = 2048 * urgency(patterns, mover, point) + stack.noise[point]
        if settings.mode != MINIMAX:
            order += min(stack.history[mover, point], 400_000)
            if point == known_move:
                order += np.int64(1) << 40
            elif point == stack.killers[ply, 0] or point == stack.killers[ply, 1]:
                order += 400_000
        moves[end], orders[end] = point, order
        end += 1
    if settings.threats and threatened and forced == NO_MOVE:
        kept = 0
        for index in range(end):
            point = moves[index]
            if makes_four(patterns.profiles[mover, point]) or makes_four(patterns.profiles[1 - mover, point]):
                moves[kept], orders[kept] = point, orders[index]
                kept += 1
        end = kept
    frames.end[ply] = end


@inlined
def _play_next(geometry: Geometry, patterns: Patterns, stack: Stack, settings: Settings, ply: int) -> bool:
    """Play the next choice of a frame and set up the frame below; False if there is none worth it."""
    frames, moves, orders = stack.frames, stack.moves[ply], stack.orders[ply]
    mover = (settings.to_move + ply) % 2
    if settings.mode != MINIMAX and frames.alpha[ply] >= frames.beta[ply]:
        return False
    while frames.tried[ply] < min(frames.end[ply], settings.width):
        tried = frames.tried[ply]
        first = tried
        for index in range(tried + 1, frames.end[ply]):
            if orders[index] > orders[first]:
                first = index
        move = moves[first]
        moves[first], orders[first] = moves[tried], orders[tried]
        moves[tried] = move
        frames.tried[ply] = tried + 1
        if not may_play(geometry, patterns.cells, move, mover):
            continue
        frames.move[ply] = move
        frames.phase[ply] = _FULL
        if settings.mode == PVS and frames.best_move[ply] != NO_MOVE:
            late = settings.reduced and tried >= _REDUCED_FROM and frames.depth[ply] >= _REDUCED_DEPTH
            frames.phase[ply] = _REDUCED if late else _SCOUT
        _set_child(geometry, patterns, stack, settings, ply)
        return True
    return False


@inlined
def _set_child(geometry: Geometry, patterns: Patterns, stack: Stack, settings: Settings, ply: int) -> None:
    """Put a frame's choice on the board and set up the frame below, as the phase says."""
    frames, child = stack.frames, ply + 1
    mover, move = (settings.to_move + ply) % 2, frames.move[ply]
    add_stone(patterns, move, mover)
    turn = geometry.turn_key[0] ^ geometry.turn_key[1]
    stack.keys[ply + 1] = stack.keys[ply] ^ geometry.stone_key[mover, move] ^ turn
    frames.alpha[child] = -frames.beta[ply] if frames.phase[ply] == _FULL else -frames.alpha[ply] - 1
    frames.beta[child] = -frames.alpha[ply]
    frames.depth[child] = frames.depth[ply] - (2 if frames.phase[ply] == _REDUCED else 1)
    if settings.mode == MINIMAX:
        frames.alpha[child], frames.beta[child] = -_INFINITE, _INFINITE


@inlined
def _take(patterns: Patterns, stack: Stack, settings: Settings, ply: int, value: int) -> bool:
    """Take a choice's value into its frame; True if it must be searched again, with another phase."""
    frames = stack.frames
    move, mover = frames.move[ply], (settings.to_move + ply) % 2
    remove_stone(patterns, move)
    if frames.phase[ply] == _REDUCED and value > frames.alpha[ply]:
        frames.phase[ply] = _SCOUT
        return True
    if frames.phase[ply] == _SCOUT and frames.alpha[ply] < value < frames.beta[ply]:
        frames.phase[ply] = _FULL
        return True
    if value > frames.best[ply]:
        frames.best[ply], frames.best_move[ply] = value, move
    frames.alpha[ply] = max(frames.alpha[ply], value)
    if value >= frames.beta[ply]:
        stack.history[mover, move] += frames.depth[ply] * frames.depth[ply]
        if stack.killers[ply, 0] != move:
            stack.killers[ply, 1] = stack.killers[ply, 0]
            stack.killers[ply, 0] = move
    return False


@inlined
def _close(stack: Stack, settings: Settings, ply: int) -> int:
    """The value of a frame whose choices have been tried, which is remembered."""
    frames = stack.frames
    value, move = frames.best[ply], frames.best_move[ply]
    if move == NO_MOVE:  # a full board is a draw; where all that meets a threat is forbidden, it wins
        return 0 if frames.end[ply] == 0 else -(WON - (ply + 4))
    if settings.mode != MINIMAX:
        bound = AT_MOST if value <= frames.floor[ply] else AT_LEAST if value >= frames.beta[ply] else EXACT
        kept = value + ply if value > PROVEN else value - ply if value < -PROVEN else value
        remember(stack.table, stack.keys[ply], stack.status.search[0], bound, kept, frames.depth[ply], move)
    return int(value)
