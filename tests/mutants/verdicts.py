"""The verdict on each mutant, kept as JSON lines so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

KILLED: Final = "killed"
SURVIVED: Final = "survived"
TIMED_OUT: Final = "timed out"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The outcome of one mutant, e.g. `Verdict(outcome="killed", noticed_by="tests/x/test_y.py::test_z", ...)`."""

    mutant: str  # digest of its path and of its text
    tests: str  # digest of the tests that it met
    outcome: str
    noticed_by: str
    diff: str


class Verdicts:
    """All verdicts so far. A survivor is tried again once the tests have changed; a killed mutant is not."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf8").splitlines() if path.exists() else []
        self._known = {verdict.mutant: verdict for verdict in map(_read, lines)}

    def known(self, mutant: str, tests: str) -> Verdict | None:
        """Return the verdict of a mutant if it still holds with these tests."""
        verdict = self._known.get(mutant)
        return verdict if verdict and (verdict.outcome == KILLED or verdict.tests == tests) else None

    def add(self, verdict: Verdict) -> None:
        """Keep one more verdict."""
        self._known[verdict.mutant] = verdict
        with self._path.open("a", encoding="utf8") as file:
            file.write(json.dumps(asdict(verdict)) + "\n")


def _read(line: str) -> Verdict:
    return Verdict(**json.loads(line))


def digest(texts: Iterable[str]) -> str:
    """Return a short digest of some texts."""
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


def table(outcomes: dict[str, list[Verdict]]) -> str:
    """Return a row for each area: how many mutants there were and what became of them."""
    rows = [f"{'area':22}{'mutants':>9}{KILLED:>9}{SURVIVED:>10}{TIMED_OUT:>11}"]
    for area, verdicts in outcomes.items():
        counts = [sum(verdict.outcome == outcome for verdict in verdicts) for outcome in (KILLED, SURVIVED, TIMED_OUT)]
        rows.append(f"{area:22}{len(verdicts):9}{counts[0]:9}{counts[1]:10}{counts[2]:11}")
    return "\n".join(rows)
