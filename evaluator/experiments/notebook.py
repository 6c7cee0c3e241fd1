"""What an experiment has measured: a line of JSON each, so that nothing is measured twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from evaluator.judging.journal import Journal, Line


class Notebook:
    """Measurements by a key that says what was measured.

    notebook = Notebook(folder / "drills.jsonl")
    lines = notebook.lines("MLP-1 version 7", lambda: [...])    # measures only what is not there
    notebook.close()
    """

    def __init__(self, path: Path) -> None:
        self._journal = Journal(path, stopping=threading.Event())
        self._known: dict[str, list[Line]] = {line["key"]: line["found"] for line in self._journal.lines()}

    def lines(self, key: str, measure: Callable[[], list[Line]]) -> list[Line]:
        """What stands under a key, or what is measured now."""
        if key not in self._known:
            self._known[key] = measure()
            self._journal.append({"key": key, "found": self._known[key]})
        return self._known[key]

    def close(self) -> None:
        """Write no more."""
        self._journal.close()
