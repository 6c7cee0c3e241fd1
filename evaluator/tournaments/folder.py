"""The folder of a tournament: what it is, its games, a line of JSON each, and the pages made of them."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evaluator.judging.journal import Journal, read_lines
from evaluator.matches.summary import record_line, record_sgf
from evaluator.tournaments.plan import Plan
from evaluator.tournaments.standings import Result
from gobang.disk import write_atomically
from gobang.errors import InvalidConfig
from gobang.files import read_text
from gobang.json_text import parse_json
from gobang.match import PlayedGame
from gobang.types import COLOURS

_PLAN: Final = "tournament.json"
_FILES: Final = (_PLAN, "games.jsonl", "games.sgf", "tournament.html")


class TournamentFolder:
    """Keeps each game as soon as it is over; a tournament that was broken off goes on from there."""

    def __init__(self, root: Path, plan: Plan) -> None:
        """Make the folder, or find it; raise InvalidConfig if another tournament or somebody else's file lies there."""
        self._plan = plan
        self._root = root
        self._check()
        self._journal = Journal(root / "games.jsonl", stopping=threading.Event())
        has_sgf = plan.variant.players == 2  # it has two colours
        self._sgf = (root / "games.sgf").open("a", encoding="utf8") if has_sgf else None

    def results(self) -> Mapping[int, Result]:
        """Of all games that are over, by number."""
        lines = read_lines(self._root / "games.jsonl")
        return {line["game"]: self._plan.result(line["game"], self._outcome(line["result"])) for line in lines}

    def add(self, number: int, game: PlayedGame) -> Result:
        """Write a game down."""
        first, second = self._plan.pairing_of(number)
        names = self._plan.players[first], self._plan.players[second]
        line = json.loads(record_line(number, game, names))
        self._journal.append(line)
        if self._sgf is not None:
            self._sgf.write(record_sgf(number, game, names) + "\n")
            self._sgf.flush()
        return self._plan.result(number, game.record.outcome)

    def write(self, name: str, text: str) -> Path:
        """Write a file that is made of the games."""
        path = self._root / name
        path.write_text(text, encoding="utf8")
        return path

    def close(self) -> None:
        """Write no more."""
        self._journal.close()
        if self._sgf is not None:
            self._sgf.close()

    def _outcome(self, result: str) -> int:
        return self._plan.variant.draw if result == "draw" else COLOURS.index(result)

    def _check(self) -> None:
        """The plan in the folder must be this one."""
        wanted = describe(self._plan)
        path = self._root / _PLAN
        self._check_files()
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                write_atomically(path, (json.dumps(wanted, indent=1) + "\n").encode())
            found = parse_json(read_text(path))
        except (OSError, ValueError) as error:
            raise InvalidConfig(f"--out {self._root}: {error}") from error
        for name, value in wanted.items():
            if not isinstance(found, dict) or found.get(name) != value:
                raise InvalidConfig(
                    f"--out {self._root} holds another tournament: its {name} differ; name a new folder"
                )

    def _check_files(self) -> None:
        """Raise InvalidConfig if a file of the tournament would be written over one that is not its own."""
        found = [name for name in _FILES if os.path.lexists(self._root / name)]
        for name in found:
            if not stat.S_ISREG((self._root / name).lstat().st_mode):
                raise InvalidConfig(f"--out {self._root}: {name} is no ordinary file; name a new folder")
        if found and _PLAN not in found:
            raise InvalidConfig(f"--out {self._root} holds {', '.join(found)}, but no tournament; name a new folder")


def describe(plan: Plan) -> dict[str, object]:
    """What a tournament depends on, as JSON."""
    return {
        "variant": str(plan.variant),
        "players": list(plan.players),
        "pairings": [list(pairing) for pairing in plan.pairings],
        "openings": [list(map(int, opening)) for opening in plan.openings],
        "seed": plan.seed,
    }
