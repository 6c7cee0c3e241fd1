"""Parts of a loop in several processes that leave a trace in files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from gobang.types import SelfPlayGame


@dataclass(frozen=True)
class Ledger:
    """A GameSink that appends a line `id moves outcome` for each game; one write, so that lines stay whole."""

    path: Path

    def add(self, game: SelfPlayGame) -> bool:
        line = f"{game.id} {','.join(map(str, game.moves))} {game.outcome}\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, line.encode())
        os.close(descriptor)
        return True

    def has_room(self) -> bool:
        return True

    def games(self) -> list[tuple[str, list[int], int]]:
        """Id, moves and outcome of all games so far."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        fields = [line.split() for line in lines]
        return [(name, [int(move) for move in moves.split(",")], int(outcome)) for name, moves, outcome in fields]
