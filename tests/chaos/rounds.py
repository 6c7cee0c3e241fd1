"""The rounds that were played: a line of JSON each, so that hours of them can be interrupted, and their table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Final

from tests.chaos.case import Case, Round

CONFIDENCE: Final = 0.95
_HEADER: Final = ("case", "", "rounds", "failed", "games", "lost", "twice", "seconds, most", "loses, at most")


class RoundsFile:
    """Rounds on disk, the newest of a number counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rounds: dict[tuple[int, int], Round] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            self._take(_read(json.loads(line)))

    def add(self, played: Round) -> None:
        """Keep a round for good."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(played)) + "\n")
        self._take(played)

    def of(self, case: Case) -> list[Round]:
        """Those of a case, by number."""
        return [self._rounds[key] for key in sorted(self._rounds) if key[0] == case.number]

    def missing(self, case: Case, rounds: int) -> list[int]:
        """The numbers that have not been played."""
        return [number for number in range(1, rounds + 1) if (case.number, number) not in self._rounds]

    def _take(self, played: Round) -> None:
        self._rounds[played.case, played.number] = played


def table(rounds: Mapping[Case, Sequence[Round]]) -> list[str]:
    """A row for each case, in Markdown."""
    rows = [_HEADER, tuple("---" for _ in _HEADER), *(_row(case, played) for case, played in rounds.items() if played)]
    return [f"| {' | '.join(row)} |" for row in rows]


def bound(losses: int, rounds: int) -> float:
    """The share of rounds that lose something is below this, with a confidence of 95 % (Clopper-Pearson, one side).

    Without a loss it is 1 - 0.05 ** (1 / rounds), about three divided by the rounds.
    """
    if losses >= rounds:
        return 1.0
    low, high = losses / rounds, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(losses, rounds, middle) > 1 - CONFIDENCE else (low, middle)
    return high


def _row(case: Case, played: Sequence[Round]) -> tuple[str, ...]:
    seconds = [each.seconds for each in played if each.seconds is not None]
    losses = sum(bool(each.lost or each.twice) for each in played)
    return (
        str(case.number),
        case.name,
        str(len(played)),
        str(sum(not each.has_passed for each in played)),
        f"{sum(each.acknowledged for each in played):,}",
        str(sum(each.lost for each in played)),
        str(sum(each.twice for each in played)),
        f"{median(seconds):.1f}, {max(seconds):.1f}" if seconds else "-",
        f"{bound(losses, len(played)):.0%}",
    )


def _at_most(losses: int, rounds: int, rate: float) -> float:
    """The probability of so few losses."""
    total, term = 0.0, (1 - rate) ** rounds
    for count in range(losses + 1):
        total += term
        term *= (rounds - count) / (count + 1) * (rate / (1 - rate) if rate < 1 else 0.0)
    return total


def _read(line: Mapping[str, object]) -> Round:
    faults: object = line["faults"]
    assert isinstance(faults, Iterable)
    return Round(**{**line, "faults": tuple(faults)})  # type: ignore[arg-type]
