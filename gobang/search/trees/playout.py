"""Random games to the end, on bit lines.

The stones of a player on a line are the bits of a word (see `gobang.rules.geometry`), so a new
stone can only win if its word, shifted and ANDed, still has a bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.board import is_win
from gobang.rules.compiled import inlined, kernel
from gobang.rules.geometry import Geometry
from gobang.rules.rule import every_row_wins, may_play
from gobang.types import EMPTY, Variant


class PlayoutWorkspace(NamedTuple):
    """Scratch arrays of a random game; L is the number of lines."""

    words: NDArray[np.uint32]  # [P, L] stones
    empties: NDArray[np.int16]  # [A] points still free
    random: NDArray[np.uint64]  # [1] state of the generator, never zero


def playout_workspace(variant: Variant, lines: int) -> PlayoutWorkspace:
    """Scratch for playouts; set `random` to a seed that is not zero."""
    return PlayoutWorkspace(
        words=np.zeros((variant.players, lines), np.uint32),
        empties=np.zeros(variant.points, np.int16),
        random=np.ones(1, np.uint64),
    )


@inlined
def random_below(random: NDArray[np.uint64], limit: int) -> int:
    """A random integer from 0 to limit - 1 (xorshift64* by Vigna; limits far below 2^32)."""
    state = random[0]
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    random[0] = state
    high = (state * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    return int((high * np.uint64(limit)) >> np.uint64(32))


@kernel
def play_out(geometry: Geometry, workspace: PlayoutWorkspace, cells: NDArray[np.int8], to_move: int) -> int:
    """Outcome of one random game from undecided `cells` [A], which is played on in place."""
    count = _set_up(geometry, workspace, cells)
    mover = to_move
    while count > 0:
        point = _draw(geometry, workspace, cells, mover, count)
        if point < 0:
            break
        count -= 1
        cells[point] = mover + 1
        if _place(geometry, workspace, cells, mover, point):
            return mover
        mover = mover + 1 if mover + 1 < geometry.players else 0
    return geometry.players


@inlined
def _set_up(geometry: Geometry, workspace: PlayoutWorkspace, cells: NDArray[np.int8]) -> int:
    """Fill the words and the list of free points; returns how many those are."""
    words, empties = workspace.words, workspace.empties
    for player in range(words.shape[0]):
        for line in range(words.shape[1]):
            words[player, line] = np.uint32(0)
    count = 0
    for point in range(len(cells)):
        stone = cells[point]
        if stone == EMPTY:
            empties[count] = point
            count += 1
        else:
            for direction in range(4):
                line = geometry.line[point, direction]
                words[stone - 1, line] |= np.uint32(1) << np.uint32(geometry.bit[point, direction])
    return count


@inlined
def _draw(geometry: Geometry, workspace: PlayoutWorkspace, cells: NDArray[np.int8], mover: int, count: int) -> int:
    """Take a random legal point off the list of `count` free ones; -1 if all are forbidden."""
    empties = workspace.empties
    untried = count
    while untried > 0:
        index = random_below(workspace.random, untried)
        point = int(empties[index])
        if may_play(geometry, cells, point, mover):
            empties[index] = empties[count - 1]
            return point
        untried -= 1
        empties[index] = empties[untried]
        empties[untried] = point
    return -1


@inlined
def _place(geometry: Geometry, workspace: PlayoutWorkspace, cells: NDArray[np.int8], mover: int, point: int) -> bool:
    """Put the stone on `point` into the words; whether it wins."""
    has_row = False
    for direction in range(4):
        line = geometry.line[point, direction]
        bit = np.uint32(geometry.bit[point, direction])
        word = workspace.words[mover, line] | (np.uint32(1) << bit)
        workspace.words[mover, line] = word
        row = word
        for _ in range(geometry.k - 1):
            row &= row >> np.uint32(1)
        has_row |= row != np.uint32(0)
    return has_row and (every_row_wins(geometry, mover) or is_win(geometry, cells, point))


@kernel
def play_out_many(
    geometry: Geometry,
    workspace: PlayoutWorkspace,
    cells: NDArray[np.int8],
    to_move: int,
    board: NDArray[np.int8],
    tally: NDArray[np.int64],
    games: int,
) -> None:
    """Count in `tally` [P + 1] the outcomes of random games from `cells` [A]; `board` [A] is scratch."""
    for _ in range(games):
        for point in range(len(cells)):
            board[point] = cells[point]
        tally[play_out(geometry, workspace, board, to_move)] += 1
