"""The kind of a stone on a line in plain Python, straight from its definition."""

from __future__ import annotations

from functools import cache

from gobang.search.threats.patterns import FIVE, FOUR, NONE, ONE, OPEN_FOUR


def defined(row: tuple[int, ...], at: int, k: int, exact: bool) -> int:
    """The kind of a player's stone at `at` of a whole line of own (1), empty (0) and blocked (2) cells."""
    return _after((*row[:at], 1, *row[at + 1 :]), at, k, exact)


@cache
def _after(row: tuple[int, ...], at: int, k: int, exact: bool) -> int:
    first = last = at
    while first > 0 and row[first - 1] == 1:
        first -= 1
    while last + 1 < len(row) and row[last + 1] == 1:
        last += 1
    length = last - first + 1
    if length == k or (length > k and not exact):
        return FIVE
    reach = k if exact else k - 1
    near = range(max(at - reach, 0), min(at + reach + 1, len(row)))
    nexts = [_after((*row[:i], 1, *row[i + 1 :]), at, k, exact) for i in near if row[i] == 0]
    if FIVE in nexts:
        return OPEN_FOUR if nexts.count(FIVE) > 1 else FOUR
    best = max(nexts, default=NONE)
    return best - 2 if best > 2 else min(best, ONE)
