"""Simple questions to a network, without a search: does it win, does it block, does it know its mirror image?

The positions are drawn for a variant, the same ones for every version.  A row with one stone missing is put on the
board, and other stones around it; whether its last point wins, or is the only one that does not lose, the tactical
solver says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.errors import IllegalMove
from gobang.interfaces import Evaluator
from gobang.openings import random_openings
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, as_batch
from gobang.rules.symmetry import symmetries
from gobang.search.threats.tactics import WIN, solve, tactics_workspace
from gobang.types import UNDECIDED, Variant

POSITIONS: Final = 100  # of each kind
_PLIES: Final = 6  # of the positions that are turned and mirrored
_SEED: Final = 1
_MOST_DRAWS: Final = 100_000
_OTHERS: Final = 3  # at most, of each side's stones beside the row and what answers it
_AT_ONCE: Final = 64  # positions in a question


@dataclass(frozen=True, kw_only=True, slots=True)
class Urgent:
    """A position in which one point counts, e.g. `Urgent(moves=(0, 9, 1, 10, ...), point=4)`."""

    moves: tuple[int, ...]
    point: int


@lru_cache(maxsize=4)
def urgent_positions(variant: Variant, verdict: int) -> tuple[Urgent, ...]:
    """Positions in which the side to move has a win in one (WIN), or must prevent one (FORCED), by one point alone."""
    generator = np.random.default_rng(_SEED)
    table, workspace = geometry(variant), tactics_workspace(variant, 0)
    found: list[Urgent] = []
    for _ in range(_MOST_DRAWS):
        position = _with_row(variant, generator, own=verdict == WIN)
        if position is None:
            continue
        said, point, _ = solve(table, workspace, position.cells, position.to_move, 0)
        if said == verdict and _wins_at(position) <= {int(point)}:
            found.append(Urgent(moves=tuple(position.moves), point=int(point)))
        if len(found) == POSITIONS:
            break
    return tuple(found)


def share_found(evaluator: Evaluator, variant: Variant, urgent: tuple[Urgent, ...]) -> float:
    """In which share of the positions the likeliest move is the one that counts."""
    positions = [Position(variant, each.moves) for each in urgent]
    return float(np.mean(likeliest(evaluator, positions) == [each.point for each in urgent]))


def share_alike(evaluator: Evaluator, variant: Variant) -> float:
    """In which share of the views of positions, turned or mirrored, the likeliest move is the same point."""
    table = symmetries(variant.height, variant.width)
    openings = random_openings(variant, min(_PLIES, variant.points // 4), POSITIONS, _SEED)
    views = [Position(variant, view[list(opening)]) for opening in openings for view in table]
    moves = likeliest(evaluator, views).reshape(len(openings), len(table))
    return float(np.mean(moves[:, 1:] == table[1:, moves[:, 0]].T))


def likeliest(evaluator: Evaluator, positions: list[Position]) -> NDArray[np.int64]:
    """[N] the legal move with the greatest prior."""
    moves = []
    for start in range(0, len(positions), _AT_ONCE):
        block = positions[start : start + _AT_ONCE]
        priors = evaluator.collect(evaluator.submit(as_batch(block))).priors
        legal = np.stack([position.legal() for position in block])
        moves.append(np.where(legal, priors, -1).argmax(axis=1))
    return np.concatenate(moves)


def _with_row(variant: Variant, generator: np.random.Generator, *, own: bool) -> Position | None:
    """A row that lacks a stone, of the side to move or of the next, and as many other stones as turns ask for."""
    row = generator.choice(_rows(variant))
    rest = generator.permutation(np.setdiff1d(np.arange(variant.points), row))
    attacker = int(generator.integers(variant.players))
    to_move = attacker if own else (attacker - 1) % variant.players
    more = int(generator.integers(_OTHERS + 1))
    counts = [variant.k - 1 + more - (0 < to_move <= player) for player in range(variant.players)]
    stones = np.split(rest[: sum(counts)], np.cumsum(counts)[:-1])
    stones[attacker] = np.concatenate([generator.permutation(row)[1:], stones[attacker][variant.k - 1 :]])
    try:
        position = Position.from_stones(variant, [each.tolist() for each in stones], to_move)
        replayed = Position(variant, position.moves)
    except IllegalMove:  # forbidden, or over before
        return None
    is_whole = np.array_equal(replayed.cells, position.cells)  # and not short of stones on a small board
    return replayed if is_whole and replayed.outcome == UNDECIDED else None


def _wins_at(position: Position) -> set[int]:
    """The points at which the side to move wins."""
    wins = set()
    for point in np.flatnonzero(position.legal()).tolist():
        player = position.to_move
        position.play(point)
        if position.outcome == player:
            wins.add(point)
        position.undo()
    return wins


@lru_cache(maxsize=4)
def _rows(variant: Variant) -> NDArray[np.int64]:
    """[R, k] the points of every row of k."""
    height, width, k = variant.height, variant.width, variant.k
    rows = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row, column in np.ndindex(height, width):
            last_row, last_column = row + (k - 1) * down, column + (k - 1) * right
            if last_row < height and 0 <= last_column < width:
                start, step = row * width + column, down * width + right
                rows.append([start + index * step for index in range(k)])
    return np.array(rows)
