"""Victory by continuous threats (VCT): wins by force through fours and threes, each proved.

The attacker plays threats only: fours, and threes, after which it would win by continuous fours.
The defender's replies are those that `zone` lists; any other loses to these fours.  A win is claimed
when the attacker has an answer to each single reply, whether it blocks or makes a four of its own.
That nothing was found says nothing: it is neither a loss nor a draw.

Which threats are worth a proof `combined` says: those that win even if the defender plays all
replies at once.  A line may also hold a number of others, its doubts; a search begins with none and
allows ever more of them while its budget lasts.

A table keeps, under stones and attacker, the wins that were proved, which stay true, and what could
not be proved with how many doubts.  Rule and board are those of the workspace.
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
from gobang.search.threats.combined import CombinedWorkspace, combined_workspace, has_combined_win, list_fives
from gobang.search.threats.patterns import (
    Patterns,
    add_stone,
    add_stones,
    makes_three,
    pattern_board,
    remove_stone,
)
from gobang.search.threats.tactics import FORCED, LOSS, NOTHING, WIN, TacticsWorkspace, solve, tactics_workspace
from gobang.search.threats.zone import list_replies
from gobang.types import EMPTY, NO_MOVE, Variant

_PLIES: Final = 40  # most stones from the root
_FOURS: Final = 200  # most stones of a search for continuous fours
_LINE: Final = 60  # most nodes of a search with combined replies
_MOST_DOUBTS: Final = 6
_ROWS: Final = 1 << 16

# What is known of a frame.
_OPEN: Final = 0
_WON: Final = 1  # for the attacker
_FAILED: Final = 2  # not proved


_CERTAIN: Final = 0  # in place of a doubt in the table: proved


class Frames(NamedTuple):
    """The positions from the root on; those of even number are the attacker's."""

    doubts: NDArray[np.int64]  # [D] how many more a line may hold
    next: NDArray[np.int64]  # [D] the move in the list that is tried next
    end: NDArray[np.int64]  # [D] the end of the list
    move: NDArray[np.int64]  # [D] the move on the board, and at last the one that wins
    round: NDArray[np.int64]  # [D] 0 while moves without doubt are tried
    forced: NDArray[np.int64]  # [D] 1 where the attacker must block


class ThreesWorkspace(NamedTuple):
    """Memory of the solver for one variant and one thread.  D plies from the root."""

    tactics: TacticsWorkspace
    combined: CombinedWorkspace
    blank: Patterns  # a board without stones
    patterns: Patterns  # the board of `find_win`
    frames: Frames
    moves: NDArray[np.int16]  # [D, A] threats, or replies
    doubtful: NDArray[np.bool_]  # [D, A] whether a threat fails against combined replies
    keys: NDArray[np.uint64]  # [D] of the stones on the board
    marks: NDArray[np.bool_]  # [A] scratch
    fives: NDArray[np.int16]  # [A] scratch
    known: NDArray[np.uint64]  # [_ROWS] keys of the table,
    results: NDArray[np.int16]  # [_ROWS, 2] _CERTAIN or doubts + 1; the winning move


def threes_workspace(variant: Variant, fours: int = _FOURS) -> ThreesWorkspace:
    """Memory for `find_win`, for two players; `tactics` is good for so many stones."""
    points, nothing = variant.points, np.zeros(variant.points, np.int8)
    return ThreesWorkspace(
        tactics=tactics_workspace(variant, fours),
        combined=combined_workspace(variant),
        blank=pattern_board(variant, nothing),
        patterns=pattern_board(variant, nothing),
        frames=Frames(*(np.zeros(_PLIES, np.int64) for _ in Frames._fields)),
        moves=np.zeros((_PLIES, points), np.int16),
        doubtful=np.zeros((_PLIES, points), np.bool_),
        keys=np.zeros(_PLIES, np.uint64),
        marks=np.zeros(points, np.bool_),
        fives=np.zeros(points, np.int16),
        known=np.zeros(_ROWS, np.uint64),
        results=np.zeros((_ROWS, 2), np.int16),
    )


class ThreesSolver:
    """Wins by continuous threats in positions of one variant; what it proved it remembers."""

    def __init__(self, variant: Variant) -> None:
        """Raises Unsolved if the game is not one of two players."""
        if variant.players != 2:
            raise Unsolved(f"{variant}: threats are searched for two players")
        self._geometry = geometry(variant)
        self._workspace = threes_workspace(variant)

    def winning_move(self, position: Position, nodes: int) -> int:
        """A move that wins by force, or NO_MOVE if none was found with so many nodes."""
        return int(find_win(self._geometry, self._workspace, position.cells, position.to_move, nodes)[0])


@kernel
def find_win(
    geometry: Geometry, workspace: ThreesWorkspace, cells: NDArray[np.int8], to_move: int, node_limit: int
) -> tuple[int, int]:
    """(winning move of the side to move or NO_MOVE, nodes) for a position that is not decided.

    `node_limit` is about the most stones that the search may place.
    """
    patterns, blank = workspace.patterns, workspace.blank
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
    return find_win_on(geometry, workspace, patterns, to_move, node_limit)


@kernel
def find_win_on(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, to_move: int, node_limit: int
) -> tuple[int, int]:
    """The same for a board of patterns, which is left as it was.

    Where a stone beside a row can block it there are more replies to a threat than are listed: nothing is found.
    """
    if ends_block(geometry):
        return NO_MOVE, 0
    workspace.keys[0] = position_key(geometry, patterns.cells, to_move)
    nodes = 0
    for doubts in range(_MOST_DOUBTS):
        workspace.frames.doubts[0] = doubts
        status, nodes = _prove(geometry, workspace, patterns, to_move, nodes, node_limit)
        if status == _WON:
            return int(workspace.frames.move[0]), nodes
        if nodes >= node_limit or not _has_doubts(workspace):
            break
    return NO_MOVE, nodes


@inlined
def _has_doubts(workspace: ThreesWorkspace) -> bool:
    """Whether the root has a threat that has not been tried for want of doubts."""
    doubtful = 0
    for index in range(workspace.frames.end[0]):
        doubtful += workspace.doubtful[0, index]
    return doubtful > 0


@kernel
def _prove(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, nodes: int, node_limit: int
) -> tuple[int, int]:
    """(what is known of the root, nodes), depth first; frames of even number are the attacker's."""
    frames, keys = workspace.frames, workspace.keys
    depth = 0
    status, spent = _open_attack(geometry, workspace, patterns, attacker, 0)
    nodes += spent
    while True:
        if status == _OPEN:
            move, spent = _next_move(geometry, workspace, patterns, attacker, depth, node_limit - nodes)
            nodes += spent
            if nodes >= node_limit:
                _take_all_back(workspace, patterns, depth)
                return _FAILED, nodes
            if move != NO_MOVE:
                player = attacker if depth % 2 == 0 else 1 - attacker
                add_stone(patterns, move, player)
                frames.move[depth] = move
                turn = geometry.turn_key[0] ^ geometry.turn_key[1]
                keys[depth + 1] = keys[depth] ^ geometry.stone_key[player, move] ^ turn
                depth += 1
                if depth % 2 == 0:
                    status, spent = _open_attack(geometry, workspace, patterns, attacker, depth)
                else:
                    status, spent = _open_defence(geometry, workspace, patterns, attacker, depth)
                nodes += 1 + spent
                continue
            status = _FAILED if depth % 2 == 0 else _WON
        if depth % 2 == 0:
            _remember(workspace, depth, status)
        if depth == 0:
            return status, nodes
        depth -= 1
        remove_stone(patterns, int(frames.move[depth]))
        if status == (_FAILED if depth % 2 == 0 else _WON):
            status = _OPEN


@inlined
def _take_all_back(workspace: ThreesWorkspace, patterns: Patterns, depth: int) -> None:
    """Remove the stones of all frames above one."""
    for above in range(depth - 1, -1, -1):
        remove_stone(patterns, int(workspace.frames.move[above]))


@kernel
def _open_attack(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int
) -> tuple[int, int]:
    """(what is known of a frame of the attacker, nodes); its threats are listed if it is open."""
    frames = workspace.frames
    frames.next[depth] = frames.end[depth] = frames.round[depth] = 0
    status = _recall(workspace, depth)
    if status != _OPEN:
        return status, 0
    verdict, point, nodes = solve(geometry, workspace.tactics, patterns.cells, attacker, _FOURS)
    if verdict == WIN:
        frames.move[depth] = point
        return _WON, nodes
    if verdict == LOSS or depth + 2 >= _PLIES:
        return _FAILED, nodes
    moves, end = workspace.moves[depth], 0
    frames.forced[depth] = int(verdict == FORCED)
    if verdict == FORCED:  # a block needs to be no threat: the one that stood before may still stand
        moves[0] = point
        end = 1
    for threat in range(len(patterns.cells)):
        if patterns.cells[threat] != EMPTY or not makes_three(patterns.profiles[attacker, threat]):
            continue
        if verdict == NOTHING:
            _insert(patterns.profiles[attacker], moves, end, threat)
            end += 1
    frames.end[depth] = end
    return (_OPEN if end > 0 else _FAILED), nodes


@inlined
def _insert(profiles: NDArray[np.int64], moves: NDArray[np.int16], end: int, point: int) -> None:
    """Put a point into a list of moves, that with the strongest patterns first."""
    at = end
    while at > 0 and profiles[moves[at - 1]] < profiles[point]:
        moves[at] = moves[at - 1]
        at -= 1
    moves[at] = point


@kernel
def _open_defence(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int
) -> tuple[int, int]:
    """(what is known of a frame of the defender, nodes); its replies are listed if it is open."""
    frames, fives, replies = workspace.frames, workspace.fives, workspace.moves[depth]
    defender = 1 - attacker
    if not has_legal_move(geometry, patterns.cells, defender):
        return _FAILED, 0
    nodes = 0
    end = list_fives(patterns, attacker, fives)
    if end == 0:
        verdict, _, nodes = solve(geometry, workspace.tactics, patterns.cells, attacker, _FOURS)
        if verdict != WIN:
            return _FAILED, nodes
        end = list_replies(geometry, patterns, workspace.tactics, attacker, workspace.marks, fives, replies)
    elif end > 1 or not may_play(geometry, patterns.cells, fives[0], defender):
        end = 0
    else:
        replies[0] = fives[0]
    frames.next[depth], frames.end[depth] = 0, end
    return (_OPEN if end > 0 else _WON), nodes


@kernel
def _next_move(
    geometry: Geometry, workspace: ThreesWorkspace, patterns: Patterns, attacker: int, depth: int, node_limit: int
) -> tuple[int, int]:
    """(a frame's next move or NO_MOVE, nodes); writes how many doubts the frame behind it may have."""
    frames, moves, doubtful = workspace.frames, workspace.moves[depth], workspace.doubtful[depth]
    nodes = 0
    if depth % 2 == 1:
        if frames.next[depth] == frames.end[depth]:
            return NO_MOVE, 0
        frames.doubts[depth + 1] = frames.doubts[depth]
        frames.next[depth] += 1
        return int(moves[frames.next[depth] - 1]), 0
    while frames.round[depth] < 2:
        in_doubt = frames.round[depth] == 1
        while frames.next[depth] < frames.end[depth] and nodes < node_limit:
            index = frames.next[depth]
            move = int(moves[index])
            frames.next[depth] += 1
            if frames.forced[depth] == 1:
                doubtful[index] = False
            elif not in_doubt:
                sure, spent = has_combined_win(
                    geometry,
                    patterns,
                    workspace.combined,
                    attacker,
                    workspace.keys[depth],
                    move,
                    min(_LINE, node_limit - nodes),
                )
                nodes += spent
                doubtful[index] = not sure
            if doubtful[index] == in_doubt and may_play(geometry, patterns.cells, move, attacker):
                frames.doubts[depth + 1] = frames.doubts[depth] - in_doubt
                return move, nodes
        if nodes >= node_limit:
            break
        frames.next[depth] = 0
        frames.round[depth] += 1 if frames.doubts[depth] > 0 else 2
    return NO_MOVE, nodes


@inlined
def _remember(workspace: ThreesWorkspace, depth: int, status: int) -> None:
    """Write what is known of a frame of the attacker to the table."""
    key = workspace.keys[depth]
    row = np.int64(key & np.uint64(_ROWS - 1))
    workspace.known[row] = key
    if status == _WON:
        workspace.results[row, 0], workspace.results[row, 1] = _CERTAIN, workspace.frames.move[depth]
    else:
        workspace.results[row, 0] = workspace.frames.doubts[depth] + 1


@inlined
def _recall(workspace: ThreesWorkspace, depth: int) -> int:
    """What the table knows of a frame of the attacker."""
    key = workspace.keys[depth]
    row = np.int64(key & np.uint64(_ROWS - 1))
    if workspace.known[row] != key:
        return _OPEN
    if workspace.results[row, 0] == _CERTAIN:
        workspace.frames.move[depth] = workspace.results[row, 1]
        return _WON
    return _FAILED if workspace.results[row, 0] > workspace.frames.doubts[depth] else _OPEN
