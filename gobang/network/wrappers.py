"""Evaluators around evaluators: smaller batches, random symmetries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gobang.interfaces import Evaluator
from gobang.rules.geometry import geometry
from gobang.rules.symmetry import inverses, symmetries, transform, transform_points
from gobang.types import Evaluations, Positions


class SplitEvaluator:
    """Asks for at most `max_batch` positions at once, so that memory stays bounded."""

    def __init__(self, evaluator: Evaluator, max_batch: int) -> None:
        assert max_batch > 0
        self._evaluator = evaluator
        self._max_batch = max_batch

    @property
    def version(self) -> int:
        """Version of the evaluator within."""
        return self._evaluator.version

    def submit(self, positions: Positions) -> list[Any]:
        """Submit all parts."""
        starts = range(0, max(len(positions), 1), self._max_batch)
        return [self._evaluator.submit(_part(positions, slice(start, start + self._max_batch))) for start in starts]

    def collect(self, ticket: list[Any]) -> Evaluations:
        """Wait for all parts."""
        parts = [self._evaluator.collect(part) for part in ticket]
        if len(parts) == 1:
            return parts[0]
        return Evaluations(
            priors=np.concatenate([part.priors for part in parts]),
            outcome=np.concatenate([part.outcome for part in parts]),
        )


class SymmetricEvaluator:
    """Shows each position under a symmetry drawn anew, so that answers favour no side of the board."""

    def __init__(self, evaluator: Evaluator, seed: int) -> None:
        self._evaluator = evaluator
        self._random = np.random.default_rng(seed)

    @property
    def version(self) -> int:
        """Version of the evaluator within."""
        return self._evaluator.version

    def submit(self, positions: Positions) -> Any:
        """Turn and mirror, then submit."""
        size = positions.variant.height, positions.variant.width
        table = symmetries(*size)
        which = self._random.integers(len(table), size=len(positions), dtype=np.int16)
        images = _images(positions, table, which)
        # the images belong to the ticket: the evaluator within may read them until it is collected
        return self._evaluator.submit(images), images, table, inverses(*size)[which]

    def collect(self, ticket: Any) -> Evaluations:
        """Wait, and turn the priors back."""
        inner, _, table, back = ticket
        evaluations = self._evaluator.collect(inner)
        priors = np.empty_like(evaluations.priors)
        transform(evaluations.priors, table, back, priors)
        return Evaluations(priors=priors, outcome=evaluations.outcome)


def _part(positions: Positions, rows: slice) -> Positions:
    return Positions(
        variant=positions.variant,
        cells=positions.cells[rows],
        to_move=positions.to_move[rows],
        last_move=positions.last_move[rows],
        key=positions.key[rows],
    )


def _images(positions: Positions, table: NDArray[np.int16], which: NDArray[np.int16]) -> Positions:
    cells = np.empty_like(positions.cells)
    transform(positions.cells, table, which, cells)
    return Positions(
        variant=positions.variant,
        cells=cells,
        to_move=positions.to_move,
        last_move=transform_points(positions.last_move, table, which),
        key=_keys(positions, cells),
    )


def _keys(positions: Positions, cells: NDArray[np.int8]) -> NDArray[np.uint64]:
    """[B] Zobrist keys of the cells, each with the side to move of its position."""
    board = geometry(positions.variant)
    none = np.zeros_like(board.stone_key[:1])
    by_cell = np.concatenate((none, board.stone_key))
    stones = by_cell[cells, np.arange(cells.shape[1])]
    keys: NDArray[np.uint64] = np.bitwise_xor.reduce(stones, axis=1) ^ board.turn_key[positions.to_move]
    return keys
