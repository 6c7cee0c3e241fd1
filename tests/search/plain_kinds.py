"""The kind of a stone on a line in plain Python, straight from its definition."""

from __future__ import annotations

from functools import cache

from gobang.search.threats.patterns import FIVE, FOUR, NONE, ONE, OPEN_FOUR


def defined(row: tuple[int, ...], at: int, k: int, rule: str) -> int:
    """The kind of a player's stone at `at` of a whole line of own (1), empty (0) and blocked (2) cells."""
    return _after((*row[:at], 1, *row[at + 1 :]), at, k, rule)


@cache
def _after(row: tuple[int, ...], at: int, k: int, rule: str) -> int:
    first = last = at
    while first > 0 and row[first - 1] == 1:
        first -= 1
    while last + 1 < len(row) and row[last + 1] == 1:
        last += 1
    length = last - first + 1
    is_enclosed = rule == "caro" and [*row[max(first - 1, 0) : first], *row[last + 1 : last + 2]] == [2, 2]
    if (length == k and not is_enclosed) or (length > k and rule != "standard"):
        return FIVE
    reach = k - 1 if rule == "freestyle" else k
    near = [i for i in range(max(at - reach, 0), min(at + reach + 1, len(row))) if row[i] == 0]
    nexts = [_after(_with(row, i, 1), at, k, rule) for i in near]
    if FIVE in nexts and rule == "caro":
        answered = [_with(row, i, 2) for i in near]
        is_open = all(
            FIVE in [_after(_with(after, i, 1), at, k, rule) for i in near if not after[i]] for after in answered
        )
        return OPEN_FOUR if is_open else FOUR
    if FIVE in nexts:
        return OPEN_FOUR if nexts.count(FIVE) > 1 else FOUR
    best = max(nexts, default=NONE)
    return best - 2 if best > 2 else min(best, ONE)


def _with(row: tuple[int, ...], at: int, cell: int) -> tuple[int, ...]:
    return (*row[:at], cell, *row[at + 1 :])
