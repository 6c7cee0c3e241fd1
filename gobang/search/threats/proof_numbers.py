"""Numbers of proof: how far a position is from being won by threats, and from being known as not so won.

The number of proof of a position is about how many positions must yet be shown to be won for the
attacker until it is so itself; that of disproof how many must fail until it fails.  Won is 0 and
INFINITE, failed INFINITE and 0.  What was won stays so.  What has failed has not been found to win by
the threats that are searched, no more.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gobang.rules.compiled import inlined
from gobang.types import NO_MOVE

INFINITE: Final = 1 << 28
NO_ROW: Final = -1
_PROOF: Final = 0
_DISPROOF: Final = 1


class Table(NamedTuple):
    """What is known of positions, a row each.  T is a power of two, and at least two."""

    keys: NDArray[np.uint64]  # [T]
    numbers: NDArray[np.int32]  # [T, 2] of proof and of disproof
    moves: NDArray[np.int16]  # [T] the best move of the side to move


def proof_table(rows: int) -> Table:
    """An empty table."""
    assert rows.bit_count() == 1 < rows, f"{rows} rows"
    return Table(np.zeros(rows, np.uint64), np.zeros((rows, 2), np.int32), np.zeros(rows, np.int16))


@inlined
def look_up(table: Table, key: np.uint64) -> int:
    """The row of a position, which has one of two places; NO_ROW if it is not known."""
    row = np.int64(key & np.uint64(len(table.keys) - 1))
    if table.keys[row] == key:
        return row  # type: ignore[return-value]
    row ^= 1
    return row if table.keys[row] == key else NO_ROW  # type: ignore[return-value]


@inlined
def is_settled(table: Table, row: int) -> bool:
    """Whether a known position is won or has failed."""
    return bool(table.numbers[row, _PROOF] == 0 or table.numbers[row, _DISPROOF] == 0)


@inlined
def is_won(table: Table, row: int) -> bool:
    """Whether a known position is won for the attacker."""
    return bool(table.numbers[row, _PROOF] == 0)


@inlined
def remember(table: Table, key: np.uint64, proof: int, disproof: int, move: int) -> None:
    """Write a position's numbers, if need be over those of another, rather not over a win."""
    row = look_up(table, key)
    if row == NO_ROW:
        row = np.int64(key & np.uint64(len(table.keys) - 1))  # type: ignore[assignment]
        row ^= np.int64(table.keys[row] != np.uint64(0) and table.numbers[row, _PROOF] == 0)  # type: ignore[assignment]
    table.keys[row] = key
    table.numbers[row, _PROOF], table.numbers[row, _DISPROOF] = proof, disproof
    table.moves[row] = move


@inlined
def remember_win(table: Table, key: np.uint64, move: int) -> None:
    """Write that a position is won for the attacker."""
    remember(table, key, 0, INFINITE, move)


@inlined
def remember_failure(table: Table, key: np.uint64) -> None:
    """Write that a position has failed."""
    remember(table, key, INFINITE, 0, NO_MOVE)
