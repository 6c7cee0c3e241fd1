"""An evaluator that remembers: answers kept by position and version of the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.interfaces import Evaluator, Ticket
from gobang.rules.compiled import kernel
from gobang.types import Evaluations, Positions, Variant

_VERSION_FACTOR = 0x9E3779B97F4A7C15  # spreads version and last move over all bits of a key
_NO_ENTRY = -1


@dataclass(slots=True)
class _Asked:
    """A batch on its way: what was known, and a ticket for the rest."""

    keys: NDArray[np.uint64]  # [B]
    source: NDArray[np.int32]  # [B] row of `misses` that answers each position, or _NO_ENTRY
    misses: NDArray[np.int32]  # [N] rows asked of the inner evaluator
    answers: Evaluations
    ticket: Ticket


class Table(NamedTuple):
    """Answers by the place of their key among S, a power of two."""

    keys: NDArray[np.uint64]  # [S] 0 where there is no entry
    priors: NDArray[np.float32]  # [S, A]
    chances: NDArray[np.float32]  # [S, P + 1]
    first: NDArray[np.int32]  # [S] scratch, _NO_ENTRY between calls: the miss of a batch that fell on a place first


class CachedEvaluator:
    """Wraps an evaluator; each table entry keeps the last position that fell on it.

    Equal positions in one batch are asked about once.  Positions that differ in their last moves alone are told
    apart, for networks that see them.
    """

    def __init__(self, inner: Evaluator, variant: Variant, *, entries: int = 1 << 16) -> None:
        size = 1 << max(0, entries - 1).bit_length()
        self._inner = inner
        self._table = Table(
            keys=np.zeros(size, np.uint64),
            priors=np.empty((size, variant.points), np.float32),
            chances=np.empty((size, variant.players + 1), np.float32),
            first=np.full(size, _NO_ENTRY, np.int32),
        )
        self.answered = 0  # positions that the inner evaluator did not see

    @property
    def version(self) -> int:
        """Version of the inner evaluator's weights."""
        return self._inner.version

    def submit(self, positions: Positions) -> Ticket:
        """Look all positions up and ask about those that are new."""
        batch = len(positions)
        keys = self._keys_of(positions)
        answers = Evaluations(
            priors=np.empty((batch, self._table.priors.shape[1]), np.float32),
            chances=np.empty((batch, self._table.chances.shape[1]), np.float32),
        )
        source, misses = np.empty(batch, np.int32), np.empty(batch, np.int32)
        new = look_up(self._table, keys, answers.priors, answers.chances, source, misses)
        misses = misses[:new]
        ticket = self._inner.submit(_rows(positions, misses)) if new else None
        self.answered += batch - new
        return _Asked(keys=keys, source=source, misses=misses, answers=answers, ticket=ticket)

    def collect(self, ticket: Ticket) -> Evaluations:
        """All answers of one batch."""
        asked: _Asked = ticket
        answers = asked.answers
        if asked.ticket is not None:
            fresh = self._inner.collect(asked.ticket)
            waiting = np.flatnonzero(asked.source != _NO_ENTRY)
            answers.priors[waiting] = fresh.priors[asked.source[waiting]]
            answers.chances[waiting] = fresh.chances[asked.source[waiting]]
            keep = asked.keys[asked.misses]
            places = (keep & np.uint64(len(self._table.keys) - 1)).astype(np.int64)
            self._table.keys[places] = keep
            self._table.priors[places] = fresh.priors
            self._table.chances[places] = fresh.chances
        return answers

    def _keys_of(self, positions: Positions) -> NDArray[np.uint64]:
        """Keys of positions under the present weights; never zero, which marks an empty entry."""
        salt = np.uint64(self.version * _VERSION_FACTOR % 2**64)
        keys = positions.key ^ salt
        for moves in positions.last_moves.astype(np.uint64).T:
            keys = (keys ^ (moves + np.uint64(2))) * np.uint64(_VERSION_FACTOR)
        return keys | np.uint64(1 << 63)


def _rows(positions: Positions, rows: NDArray[np.int32]) -> Positions:
    """Some of a batch's positions."""
    return Positions(
        variant=positions.variant,
        cells=positions.cells[rows],
        to_move=positions.to_move[rows],
        last_moves=positions.last_moves[rows],
        key=positions.key[rows],
    )


@kernel
def look_up(
    table: Table,
    keys: NDArray[np.uint64],
    priors: NDArray[np.float32],
    chances: NDArray[np.float32],
    source: NDArray[np.int32],
    misses: NDArray[np.int32],
) -> int:
    """Copy known answers, list the rows of new positions in `misses`, and return how many they are."""
    first = table.first
    count = 0
    mask = np.uint64(len(table.keys) - 1)
    for row in range(len(keys)):
        place = keys[row] & mask
        source[row] = _NO_ENTRY
        if table.keys[place] == keys[row]:
            for point in range(priors.shape[1]):
                priors[row, point] = table.priors[place, point]
            for index in range(chances.shape[1]):
                chances[row, index] = table.chances[place, index]
            continue
        earlier = first[place]
        if earlier != _NO_ENTRY and keys[misses[earlier]] == keys[row]:
            source[row] = earlier
            continue
        source[row] = count
        misses[count] = row
        first[place] = count
        count += 1
    for index in range(count):
        first[keys[misses[index]] & mask] = _NO_ENTRY
    return count
