"""Victory by continuous threats (VCT): wins by force through fours and threes, each proved.

The attacker plays threats only: fours, and threes, after which it would win by continuous fours.
The defender's replies are those that `zone` lists; any other loses to these fours.  A win is claimed
when the attacker has an answer to each single reply, whether it blocks or makes a four of its own.
That nothing was found says nothing: it is neither a loss nor a draw.

The search goes by numbers of proof, depth first (df-pn): next comes always a position that bears on
the root with the fewest others beside it, so easy wins are found before hard ones, and threats that
leave the defender little choice before those that leave more.  The table of these numbers outlives
the search, which goes on from there when it comes back.  Rule and board are those of the workspace.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.errors import Unsolved
from gobang.rules.board import has_legal_move, position_key
from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry, geometry
from gobang.rules.position import Position
from gobang.rules.rule import ends_block, may_play
from gobang.search.threats.patterns import (
    QUIET,
    Patterns,
    add_stone,
    add_stones,
    can_make_four,
    has_five,
    level,
    list_fives,
    makes_four,
    makes_three,
    pattern_board,
    remove_stone,
)
from gobang.search.threats.proof_numbers import (
    INFINITE,
    NO_ROW,
    Table,
    is_settled,
    is_won,
    look_up,
    proof_table,
    remember,
    remember_failure,
    remember_win,
)
from gobang.search.threats.tactics import LOSS, NOTHING, WIN, TacticsWorkspace, solve, tactics_workspace
from gobang.search.threats.zone import list_replies
from gobang.types import EMPTY, NO_MOVE, Variant

_PLIES: Final = 80  # most stones from the root
_FOURS: Final = 200  # most stones of a search for continuous fours
_ROWS: Final = 1 << 17  # of the table, 2 MB
_DEFENCE: Final = np.uint64(0x9E3779B97F4A7C15)  # marks keys of positions in which the defender is to move

# What is yet to be proved of a position that nobody has looked at.
_AFTER_FOUR: Final = 2  # there is a single reply
_AFTER_THREE: Final = 4
_AFTER_REPLY: Final = 1


class Frames(NamedTuple):
    """The positions from the root on; those of even number are the attacker's."""

    limits: NDArray[np.int64]  # [D, 2] the numbers of proof and disproof from which on the search goes on elsewhere
    end: NDArray[np.int64]  # [D] the end of the list of moves
    move: NDArray[np.int64]  # [D] the move on the board
    keys: NDArray[np.uint64]  # [D] of the stones on the board, and of whose turn it is


class ThreesWorkspace(NamedTuple):
    """Memory of the solver for one variant and one thread.  D plies from the root."""

    tactics: TacticsWorkspace
    blank: Patterns  # a board without stones
    patterns: Patterns  # the board of `find_win`
    frames: Frames
    moves: NDArray[np.int16]  # [D, A] threats, or replies
    guesses: NDArray[np.int16]  # [D, A] what is to be proved after them
    marks: NDArray[np.bool_]  # [A] scratch
    fives: NDArray[np.int16]  # [A] scratch
    table: Table


def threes_workspace(
    variant: Variant, fours: int = _FOURS, *, plies: int = _PLIES, rows: int = _ROWS
) -> ThreesWorkspace:
    """Memory for `find_win`, for two players; `tactics` is good for so many stones.

    No search goes deeper than `plies`; `rows` of the table are a power of two from 2 on.
    """
    points, nothing = variant.points, np.zeros(variant.points, np.int8)
    return ThreesWorkspace(
        tactics=tactics_workspace(variant, fours),
        blank=pattern_board(variant, nothing),
        patterns=pattern_board(variant, nothing),
        frames=Frames(
            limits=np.full((plies, 2), INFINITE, np.int64),
            end=np.zeros(plies, np.int64),
            move=np.zeros(plies, np.int64),
            keys=np.zeros(plies, np.uint64),
        ),
        moves=np.zeros((plies, points), np.int16),
        guesses=np.zeros((plies, points), np.int16),
        marks=np.zeros(points, np.bool_),
        fives=np.zeros(points, np.int16),
        table=proof_table(rows),
    )


class ThreesSolver:
    """Wins by continuous threats in positions of one variant; what it proved it remembers."""

    def __init__(self, variant: Variant, *, plies: int = _PLIES, rows: int = _ROWS) -> None:
        """Raises Unsolved if the game is not one of two players; see `threes_workspace`."""
        if variant.players != 2:
            raise Unsolved(f"{variant}: threats are searched for two players")
        self._geometry = geometry(variant)
        self._workspace = threes_workspace(variant, plies=plies, rows=rows)
        self.nodes = 0  # of the last search

    def winning_move(self, position: Position, nodes: int) -> int:
        """A move that wins by force, or NO_MOVE if none was found with so many nodes."""
        move, self.nodes = find_win(self._geometry, self._workspace, position.cells, position.to_move, nodes)
        return int(move)


@kernel
def find_win(
    geometry: Geometry, workspace: ThreesWorkspace, cells: NDArray[np.int8], to_move: int, node_limit: int
) -> tuple[int, int]:
    """(winning move of the side to move or NO_MOVE, nodes) for a position that is not decided.

    `node_limit` is about the most stones that the search may place.  Where a stone beside a row can block
    it there are more replies to a threat than are listed: nothing is found.
    """
    if ends_block(geometry):
        return NO_MOVE, 0
    table, key = workspace.table, position_key(geometry, cells, to_move)
    _set_up(workspace.patterns, workspace.blank, cells)
    workspace.frames.keys[0] = key
    nodes = _search(geometry, workspace, workspace.patterns, to_move, node_limit)
    row = look_up(table, key)
    return (int(table.moves[row]) if row != NO_ROW and is_won(table, row) else NO_MOVE), nodes


@inlined
def _set_up(patterns: Patterns, blank: Patterns, cells: NDArray[np.int8]) -> None:
    """Make a board of patterns that of `cells` [A]."""
    for point in range(len(cells)):
        patterns.cells[point] = EMPTY
        for player in range(2):
            patterns.profiles[player, point] = blank.profiles[player, point]
            for direction in range(4):
                patterns.codes[player, point, direction] = blank.codes[player, point, direction]
    for player in range(2):
        for kind in range(len(blank.worth)):
            patterns.counts[player, kind] = blank.counts[player, kind]
    add_stones(patterns, cells)


@kernel
def _search(geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, node_limit: int) -> int:
    """Search until the root is settled or the limit is reached; returns the nodes."""
    frames = workspace.frames
    depth, nodes = 0, 0
    is_open, spent = _open(geometry, workspace, patterns, attacker, depth)
    while True:
        nodes += spent
        index = _choose(geometry, workspace, attacker, depth, nodes < node_limit) if is_open else NO_MOVE
        if index != NO_MOVE:
            frames.move[depth] = workspace.moves[depth, index]
            add_stone(patterns, int(frames.move[depth]), _mover(attacker, depth))
            frames.keys[depth + 1] = _key_after(geometry, workspace, attacker, depth, index)
            depth += 1
            is_open, spent = _open(geometry, workspace, patterns, attacker, depth)
            spent += 1
        elif depth > 0:
            depth -= 1
            remove_stone(patterns, int(frames.move[depth]))
            is_open, spent = True, 0
        else:
            return nodes


@inlined
def _mover(attacker: int, depth: int) -> int:
    """Who is to move in a frame."""
    return attacker if depth % 2 == 0 else 1 - attacker


@inlined
def _key_after(geometry: Geometry, workspace: ThreesWorkspace, attacker: int, depth: int, index: int) -> np.uint64:
    """The key behind a frame's move."""
    stone = geometry.stone_key[_mover(attacker, depth), workspace.moves[depth, index]]
    return np.uint64(workspace.frames.keys[depth] ^ stone ^ geometry.turn_key[0] ^ geometry.turn_key[1] ^ _DEFENCE)


@inlined
def _choose(geometry: Geometry, workspace: ThreesWorkspace, attacker: int, depth: int, goes_on: bool) -> int:
    """Index of the move to search next, with the limits behind it set; NO_MOVE, with the frame remembered, if none is.

    One number of a frame is the least of those behind its moves: that of proof for the attacker, of
    disproof for the defender.  The other is the sum for the defender.  For the attacker, whose
    threats come to the same positions in many orders, it is the greatest, and one for each other move.
    Moves that are settled for the opponent are dropped from the list.
    """
    frames, table = workspace.frames, workspace.table
    moves, guesses, side, end = workspace.moves[depth], workspace.guesses[depth], depth % 2, 0
    least, second, total, greatest, other, best = INFINITE, INFINITE, 0, 0, 0, 0
    for index in range(frames.end[depth]):
        wanted, unwanted = int(guesses[index]), 1
        row = look_up(table, _key_after(geometry, workspace, attacker, depth, index))
        if row != NO_ROW:
            wanted, unwanted = int(table.numbers[row, side]), int(table.numbers[row, 1 - side])
        if unwanted == 0:
            continue
        moves[end], guesses[end] = moves[index], guesses[index]
        total += unwanted
        greatest = max(greatest, unwanted)
        if wanted < least:
            least, second, best, other = wanted, least, end, unwanted
        elif wanted < second:
            second = wanted
        end += 1
    frames.end[depth] = end
    if side == 0:
        total, other = greatest + max(end - 1, 0), greatest
    total = min(total, INFINITE - (least > 0))  # infinite only where all is settled
    limit, total_limit = frames.limits[depth, side], frames.limits[depth, 1 - side]
    if not goes_on or least >= limit or total >= total_limit:
        proof, disproof = (least, total) if side == 0 else (total, least)
        remember(table, frames.keys[depth], proof, disproof, int(moves[best]))
        return NO_MOVE
    frames.limits[depth + 1, side] = min(limit, second + 1 + second // 4)  # more than 1, so as to come back less often
    frames.limits[depth + 1, 1 - side] = total_limit - total + other
    return best


@inlined
def _open(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int
) -> tuple[bool, int]:
    """(whether a frame is to be searched, nodes); then its moves are listed, else it is settled."""
    row = look_up(workspace.table, workspace.frames.keys[depth])
    if row != NO_ROW and is_settled(workspace.table, row):
        return False, 0
    if depth % 2 == 0:
        return _open_attack(geometry, workspace, patterns, attacker, depth, row == NO_ROW)
    return _open_defence(geometry, workspace, patterns, attacker, depth, row == NO_ROW)


@inlined
def _solve(geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, player: int) -> tuple[int, int, int]:
    """(verdict, point, nodes) of the tactical solver, which is not asked where it has nothing to find."""
    if not can_make_four(patterns, player) and not has_five(patterns, 1 - player):
        return NOTHING, NO_MOVE, 0
    return solve(geometry, workspace.tactics, patterns.cells, player, _FOURS)


@kernel
def _open_attack(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int, is_new: bool
) -> tuple[bool, int]:
    """The same for a frame of the attacker; only a new one needs to be looked at for continuous fours."""
    table, key, nodes = workspace.table, workspace.frames.keys[depth], 0
    if is_new:
        verdict, point, nodes = _solve(geometry, workspace, patterns, attacker)
        if verdict == WIN:
            remember_win(table, key, point)
            return False, nodes
        if verdict == LOSS or depth + 2 >= len(workspace.frames.end):
            remember_failure(table, key)
            return False, nodes
    end = _list_threats(geometry, workspace, patterns, attacker, depth)
    workspace.frames.end[depth] = end
    if end == 0:
        remember_failure(table, key)
    return end > 0, nodes


@inlined
def _list_threats(geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int) -> int:
    """List the attacker's moves; returns how many."""
    profiles, moves, guesses = patterns.profiles[attacker], workspace.moves[depth], workspace.guesses[depth]
    if list_fives(patterns, 1 - attacker, workspace.fives) > 0:
        moves[0], guesses[0] = workspace.fives[0], _AFTER_FOUR  # needs to be no threat: one that stood may still stand
        return 1
    end = 0
    for point in range(len(patterns.cells)):
        if (
            patterns.cells[point] == EMPTY
            and makes_three(profiles[point])
            and may_play(geometry, patterns.cells, point, attacker)
        ):
            _insert(patterns, moves, end, point)
            end += 1
    for index in range(end):
        profile = profiles[moves[index]]
        guess = _AFTER_FOUR if makes_four(profile) else _AFTER_THREE
        guesses[index] = guess if level(profile) == QUIET else guess // 2  # the stone makes another threat
    return end


@inlined
def _insert(patterns: Patterns, moves: NDArray[np.int16], end: int, point: int) -> None:
    """Put a point into a list of moves, those first that mean most to both sides together."""
    black, white = patterns.profiles[0], patterns.profiles[1]
    at = end
    while at > 0 and black[moves[at - 1]] + white[moves[at - 1]] < black[point] + white[point]:
        moves[at] = moves[at - 1]
        at -= 1
    moves[at] = point


@kernel
def _open_defence(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int, is_new: bool
) -> tuple[bool, int]:
    """The same for a frame of the defender, which must not win by continuous fours itself."""
    table, key, defender, nodes = workspace.table, workspace.frames.keys[depth], 1 - attacker, 0
    if is_new:
        if not has_legal_move(geometry, patterns.cells, defender):
            remember_failure(table, key)
            return False, 0
        verdict, _, nodes = _solve(geometry, workspace, patterns, defender)
        if verdict == WIN:
            remember_failure(table, key)
            return False, nodes
        if verdict == LOSS:
            remember_win(table, key, NO_MOVE)
            return False, nodes
    is_threat, end, spent = _list_replies(geometry, workspace, patterns, attacker, depth)
    workspace.frames.end[depth] = end
    if not is_threat:
        remember_failure(table, key)
    elif end == 0:
        remember_win(table, key, NO_MOVE)
    return end > 0, nodes + spent


@inlined
def _list_replies(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int
) -> tuple[bool, int, int]:
    """(whether the attacker threatens to win, how many replies could prevent it, nodes); the replies are listed."""
    replies, fives, nodes = workspace.moves[depth], workspace.fives, 0
    end = min(list_fives(patterns, attacker, fives), 1)
    if end == 1:
        replies[0] = fives[0]
    else:
        verdict, _, nodes = _solve(geometry, workspace, patterns, attacker)
        if verdict != WIN:
            return False, 0, nodes
        end = list_replies(geometry, patterns, workspace.tactics, attacker, workspace.marks, fives, replies)
    for index in range(end):
        _insert(patterns, replies, index, int(replies[index]))
        workspace.guesses[depth, index] = _AFTER_REPLY
    return True, end, nodes
