"""Exact values of positions on small boards: win, draw or loss for the side to move.

    solver = ExactSolver(Variant.square(5, k=4))
    solver.value(position)         # WON, DRAWN or LOST
    solver.move_values(position)   # the same of each move

Whether one side, the attacker, wins is one question, whether the other does is the next; if both
answers are no, it is a draw.  Each is answered by a proof-number search, depth first (df-pn): every
position has two numbers, how far the side to move is from being proved to reach its aim, and how far
from being proved to fail, and the search goes where least is missing.  What is certain without search
ends it: the tactical solver's verdicts, a table of all positions met, in which symmetric ones are
one, and windows.  A window is k points in a row; it is open to a player as long as the other has no
stone in it.  A point that lies in no window open to either need not be played: a stone never harms
its owner, so any other point is at least as good.  And the attacker has failed if his hope is low:
the sum over the windows open to him of one half for each point that is missing.  A defender who
always plays where most of it hangs on keeps it below one, and so every window from being filled, if
it is below one at his move or below one half at the attacker's (Erdos and Selfridge).

In the table a position is a number in base three, a digit for each point, so that nothing is ever
mistaken for something else; that such a number fits into a word limits the board.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.errors import Unsolved
from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry, geometry, windows
from gobang.rules.position import Position
from gobang.rules.rule import stones_never_harm
from gobang.rules.symmetry import symmetries
from gobang.search.threats.tactics import FORCED, LOSS, WIN, TacticsWorkspace, solve, tactics_workspace
from gobang.types import EMPTY, UNDECIDED, Variant

LOST: Final = -1  # for the side to move, with best play of both
DRAWN: Final = 0
WON: Final = 1
NO_VALUE: Final = -9  # of what is no legal move, or not solved

NO_ONE_VALUE: Final = "among three and more who cannot win may choose who does, so that no position has one exact value"
MOST_POINTS: Final = 36
MOST_NODES: Final = 50_000_000  # for one position; a minute or two
MOST_EFFORT: Final = 20_000
_TABLE_BITS: Final = 21  # 32 MB
_SMALL_TABLE_BITS: Final = 16
_FOURS: Final = 200  # stones that the tactical solver may place at a node

_NO_WINDOW: Final = -1
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_NEVER: Final = 1 << 30  # in place of a proof number: it cannot be proved


class ProofNumbers(NamedTuple):
    """Two for each position: how much is missing to prove what becomes of the side to move."""

    aim: NDArray[np.int32]  # that it reaches its aim: to win, or not to lose
    fail: NDArray[np.int32]  # that it fails


class Frames(NamedTuple):
    """The positions on the way down."""

    aim_limit: NDArray[np.int64]  # [A + 1] the numbers at which the search turns elsewhere
    fail_limit: NDArray[np.int64]  # [A + 1]
    listed: NDArray[np.int64]  # [A + 1] how many moves there are,
    chosen: NDArray[np.int64]  # [A + 1] and which leads to the frame below


class ExactWorkspace(NamedTuple):
    """Memory of the solver for one variant.  W windows, S symmetries, T entries of the table."""

    tactics: TacticsWorkspace
    cells: NDArray[np.int8]  # [A] the board
    windows: NDArray[np.int16]  # [A, 4 k] those through a point, then _NO_WINDOW
    stones: NDArray[np.int8]  # [2, W] of each player in each window
    hope: NDArray[np.int64]  # [2] the sum of 2 ** stones over the windows open to each player
    power: NDArray[np.uint64]  # [S, A] three to the power of the point's image
    codes: NDArray[np.uint64]  # [S] the position and its images as numbers in base three
    scores: NDArray[np.int64]  # [A] what speaks for each move
    moves: NDArray[np.int16]  # [A + 1, A] of each frame, best first
    missing: ProofNumbers  # [A + 1, A] after each of them
    frames: Frames
    keys: NDArray[np.uint64]  # [T] positions that have an entry
    numbers: ProofNumbers  # [T] theirs


class ExactSolver:
    """Answers for any positions of one variant, and remembers what it found."""

    def __init__(self, variant: Variant, *, most_nodes: int = MOST_NODES) -> None:
        """`most_nodes` may be spent on one position; raises Unsolved if the variant is out of reach."""
        if variant.points > MOST_POINTS:
            raise Unsolved(f"{variant}: boards of up to {MOST_POINTS} points can be solved, not of {variant.points}")
        if variant.players != 2:
            raise Unsolved(f"{variant}: {NO_ONE_VALUE}")
        if not stones_never_harm(geometry(variant)):
            raise Unsolved(f"{variant}: only games under which no stone harms its owner are solved")
        self._variant = variant
        self._geometry = geometry(variant)
        self._most_nodes = most_nodes
        self._workspace = exact_workspace(variant)
        self._forgetful: ExactWorkspace | None = None

    def value(self, position: Position) -> int:
        """WON, DRAWN or LOST for the side to move, which has lost or drawn if the game is over; raises Unsolved."""
        if position.outcome != UNDECIDED:
            return DRAWN if position.outcome == self._variant.draw else LOST
        value, nodes = solve_exactly(
            self._geometry, self._workspace, position.cells, position.to_move, self._most_nodes
        )
        if value == NO_VALUE:
            raise Unsolved(f"{self._variant}: not solved after {nodes} nodes\n{position}")
        return int(value)

    def move_values(self, position: Position) -> NDArray[np.int8]:
        """[A] what the side to move makes of the game by each move; NO_VALUE where it may not play."""
        values = np.full(self._variant.points, NO_VALUE, np.int8)
        for point in np.flatnonzero(position.legal()).tolist():
            position.play(point)
            try:
                values[point] = -self.value(position)
            finally:
                position.undo()
        return values

    def effort(self, position: Position) -> int:
        """Nodes that finding the value takes when nothing is remembered; if too many, somewhat over MOST_EFFORT."""
        if position.outcome != UNDECIDED:
            return 0
        if self._forgetful is None:
            self._forgetful = exact_workspace(self._variant, _SMALL_TABLE_BITS)
        self._forgetful.keys[:] = 0
        return int(solve_exactly(self._geometry, self._forgetful, position.cells, position.to_move, MOST_EFFORT)[1])


def exact_workspace(variant: Variant, table_bits: int = _TABLE_BITS) -> ExactWorkspace:
    """Memory for `solve_exactly`, with an empty table."""
    points = variant.points
    rows = windows(variant)
    listed = np.full((points, 4 * variant.k), _NO_WINDOW, np.int16)
    for point in range(points):
        through = [number for number, window in enumerate(rows) if point in window]
        listed[point, : len(through)] = through
    images = symmetries(variant.height, variant.width).astype(np.uint64)
    return ExactWorkspace(
        tactics=tactics_workspace(variant, _FOURS),
        cells=np.zeros(points, np.int8),
        windows=listed,
        stones=np.zeros((2, len(rows)), np.int8),
        hope=np.zeros(2, np.int64),
        power=np.uint64(3) ** images,
        codes=np.zeros(len(images), np.uint64),
        scores=np.zeros(points, np.int64),
        moves=np.zeros((points + 1, points), np.int16),
        missing=_proof_numbers(points + 1, points),
        frames=Frames(*(np.zeros(points + 1, np.int64) for _ in Frames._fields)),
        keys=np.zeros(1 << table_bits, np.uint64),
        numbers=_proof_numbers(1 << table_bits),
    )


def _proof_numbers(*shape: int) -> ProofNumbers:
    return ProofNumbers(aim=np.zeros(shape, np.int32), fail=np.zeros(shape, np.int32))


@kernel
def solve_exactly(
    geometry: Geometry, workspace: ExactWorkspace, cells: NDArray[np.int8], to_move: int, node_limit: int
) -> tuple[int, int]:
    """(value, nodes) of a position that is not decided; NO_VALUE if it takes more nodes."""
    wins, nodes = _ask(geometry, workspace, cells, to_move, to_move, node_limit)
    if wins != DRAWN:
        return wins, nodes
    loses, more = _ask(geometry, workspace, cells, to_move, 1 - to_move, node_limit - nodes)
    return (-loses if loses != NO_VALUE else NO_VALUE), nodes + more


@kernel
def _ask(
    geometry: Geometry,
    workspace: ExactWorkspace,
    cells: NDArray[np.int8],
    to_move: int,
    attacker: int,
    node_limit: int,
) -> tuple[int, int]:
    """(WON if the attacker wins, DRAWN if it does not, NO_VALUE if that takes more nodes; nodes)."""
    frames, moves, missing = workspace.frames, workspace.moves, workspace.missing
    _set_up(workspace, cells)
    aim, fail = _look(geometry, workspace, to_move, attacker)
    depth, nodes = 0, 1
    frames.aim_limit[0] = frames.fail_limit[0] = _NEVER
    is_open = False
    while nodes <= node_limit:
        mover = (to_move + depth) % 2
        if not is_open and aim > 0 and fail > 0:
            nodes += _open_frame(geometry, workspace, mover, attacker, depth)
            is_open = True
        if is_open:
            aim, fail = _choose(workspace, depth)
            if aim < frames.aim_limit[depth] and fail < frames.fail_limit[depth]:
                chosen = frames.chosen[depth]
                _place(workspace, moves[depth, chosen], mover)
                aim, fail = missing.aim[depth, chosen], missing.fail[depth, chosen]
                depth += 1
                is_open = False
                continue
            _remember(workspace, mover, attacker, aim, fail)
        if depth == 0:
            return (WON if (aim == 0) == (to_move == attacker) else DRAWN), nodes
        depth -= 1
        chosen = frames.chosen[depth]
        _take_back(workspace, moves[depth, chosen], 1 - mover)
        missing.aim[depth, chosen], missing.fail[depth, chosen] = aim, fail
        is_open = True
    return NO_VALUE, nodes


@kernel
def _set_up(workspace: ExactWorkspace, cells: NDArray[np.int8]) -> None:
    """Put a position on the board."""
    workspace.cells[:] = EMPTY
    workspace.stones[:] = 0
    workspace.codes[:] = 0
    workspace.hope[:] = workspace.stones.shape[1]
    for point in range(len(cells)):
        if cells[point] != EMPTY:
            _place(workspace, point, cells[point] - 1)


@kernel
def _place(workspace: ExactWorkspace, point: int, player: int) -> None:
    workspace.cells[point] = player + 1
    for window in workspace.windows[point]:
        if window == _NO_WINDOW:
            break
        mine, theirs = workspace.stones[player, window], workspace.stones[1 - player, window]
        if mine == 0:
            workspace.hope[1 - player] -= 1 << theirs
        if theirs == 0:
            workspace.hope[player] += 1 << mine
        workspace.stones[player, window] = mine + 1
    for image in range(len(workspace.codes)):
        workspace.codes[image] += np.uint64(player + 1) * workspace.power[image, point]


@kernel
def _take_back(workspace: ExactWorkspace, point: int, player: int) -> None:
    workspace.cells[point] = EMPTY
    for window in workspace.windows[point]:
        if window == _NO_WINDOW:
            break
        mine, theirs = workspace.stones[player, window] - 1, workspace.stones[1 - player, window]
        if mine == 0:
            workspace.hope[1 - player] += 1 << theirs
        if theirs == 0:
            workspace.hope[player] -= 1 << mine
        workspace.stones[player, window] = mine
    for image in range(len(workspace.codes)):
        workspace.codes[image] -= np.uint64(player + 1) * workspace.power[image, point]


@kernel
def _look(geometry: Geometry, workspace: ExactWorkspace, mover: int, attacker: int) -> tuple[int, int]:
    """The proof numbers of the position on the board, without search."""
    verdict = 0
    if workspace.hope[attacker] < 1 << (geometry.k - (mover == attacker)):
        verdict = LOSS if mover == attacker else WIN
    else:
        aim, fail = _recall(workspace, mover, attacker)
        if aim != fail or aim != 0:
            return aim, fail
        verdict = solve(geometry, workspace.tactics, workspace.cells, mover, _FOURS)[0]
    if verdict == WIN:
        return 0, _NEVER
    return (_NEVER, 0) if verdict == LOSS else (1, 1)


@kernel
def _open_frame(geometry: Geometry, workspace: ExactWorkspace, mover: int, attacker: int, depth: int) -> int:
    """List the moves and the proof numbers after each, up to one that decides; returns how many were looked at."""
    moves, missing = workspace.moves[depth], workspace.missing
    verdict, only, _ = solve(geometry, workspace.tactics, workspace.cells, mover, 0)
    if verdict == FORCED:
        moves[0] = only
        count = 1
    else:
        count = _list_moves(workspace, mover, depth)
    for index in range(count):
        _place(workspace, moves[index], mover)
        missing.aim[depth, index], missing.fail[depth, index] = _look(geometry, workspace, 1 - mover, attacker)
        _take_back(workspace, moves[index], mover)
        if missing.fail[depth, index] == 0:
            count = index + 1
            break
    workspace.frames.listed[depth] = count
    return count


@kernel
def _choose(workspace: ExactWorkspace, depth: int) -> tuple[int, int]:
    """The frame's own numbers; its move after which the other side is nearest to failing is chosen, with limits.

    To fail means that all moves do.  The sum of what they lack would count a position once for each
    way that leads to it, so the hardest counts, and one for each other.
    """
    frames, aims, fails = workspace.frames, workspace.missing.aim[depth], workspace.missing.fail[depth]
    least, second, hardest, open_moves = _NEVER + 1, _NEVER + 1, 0, 0
    for index in range(frames.listed[depth]):
        if fails[index] < least:
            least, second = fails[index], least
            frames.chosen[depth] = index
        else:
            second = min(second, fails[index])
        hardest = max(hardest, aims[index])
        open_moves += aims[index] > 0
    aim, fail = least, min(hardest + max(open_moves - 1, 0), _NEVER)
    frames.aim_limit[depth + 1] = min(_NEVER, frames.fail_limit[depth] - fail + aims[frames.chosen[depth]])
    frames.fail_limit[depth + 1] = min(frames.aim_limit[depth], second + second // 4 + 1)
    return aim, fail


@kernel
def _list_moves(workspace: ExactWorkspace, mover: int, depth: int) -> int:
    """List the points that lie in an open window, those first that lie in many with many stones."""
    moves, scores, stones = workspace.moves[depth], workspace.scores, workspace.stones
    count = 0
    for point in range(len(workspace.cells)):
        if workspace.cells[point] != EMPTY:
            continue
        score = 0
        for window in workspace.windows[point]:
            if window == _NO_WINDOW:
                break
            mine, theirs = int(stones[mover, window]), int(stones[1 - mover, window])
            if theirs == 0:
                score += 1 << (2 * mine)
            if mine == 0:
                score += 1 << (2 * theirs)
        if score == 0:
            continue
        scores[point] = score
        at = count
        while at > 0 and scores[moves[at - 1]] < score:
            moves[at] = moves[at - 1]
            at -= 1
        moves[at] = point
        count += 1
    return count


@inlined
def _key(workspace: ExactWorkspace, mover: int, attacker: int) -> np.uint64:
    """Of the position's images the least number, and the question; never zero."""
    code = workspace.codes[0]
    for image in range(1, len(workspace.codes)):
        code = min(code, workspace.codes[image])
    key: np.uint64 = code * np.uint64(4) + np.uint64(2 * mover + attacker + 1)
    return key


@inlined
def _entry(workspace: ExactWorkspace, key: np.uint64) -> np.uint64:
    entry: np.uint64 = ((key * _SPREAD) >> np.uint64(32)) % np.uint64(len(workspace.keys))
    return entry


@kernel
def _remember(workspace: ExactWorkspace, mover: int, attacker: int, aim: int, fail: int) -> None:
    key = _key(workspace, mover, attacker)
    entry = _entry(workspace, key)
    workspace.keys[entry] = key
    workspace.numbers.aim[entry], workspace.numbers.fail[entry] = aim, fail


@kernel
def _recall(workspace: ExactWorkspace, mover: int, attacker: int) -> tuple[int, int]:
    """The proof numbers in the table, or twice zero."""
    key = _key(workspace, mover, attacker)
    entry = _entry(workspace, key)
    if workspace.keys[entry] != key:
        return 0, 0
    return int(workspace.numbers.aim[entry]), int(workspace.numbers.fail[entry])
