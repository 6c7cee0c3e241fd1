"""A record of what was acknowledged, kept by the processes that were told so, apart from the run's own counters.

A run under test is started by `python -m tests.chaos.recorded_launch`: the pool of its actors and of its learner is
a RecordedPool, which appends a line to a file of its process when Redis has answered.

    {"at": 1234.5, "stored": "self_play:00@127.0.0.1-1f3a-5e6f/000042"}
    {"at": 1234.9, "read": ["self_play:00@127.0.0.1-1f3a-5e6f/000042", ...]}

Times are of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gobang.types import SelfPlayGame
from learner.replay.pool.redis_pool import RedisPoolFactory
from learner.replay.pool.redis_writer import RedisWriterFactory
from learner.replay.pool.replay_pool import Cursor, PoolRead

PLACE: Final = "GOBANG_CHAOS_RECORD"  # names the folder of the record in the launcher's environment


class RecordedPool:
    """A RedisPool or a RedisWriter that notes what it was told, in the process that was told so."""

    def __init__(self, pool: Any, folder: Path) -> None:
        self._pool = pool
        name = f"{os.getpid()}-{secrets.token_hex(4)}.jsonl"
        self._notes = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __getattr__(self, name: str) -> Any:
        """All else is the pool's."""
        return getattr(self._pool, name)

    def add(self, game: SelfPlayGame) -> bool:
        """See ReplayPool."""
        is_new = self._pool.add(game)
        self._note(stored=game.id)
        return is_new

    def read_since(self, cursor: Cursor, limit: int, newest: int | None = None) -> PoolRead:
        """See ReplayPool."""
        read = self._pool.read_since(cursor, limit, newest)
        if read.games:
            self._note(read=[game.id for game in read.games])
        return read

    def _note(self, **fields: Any) -> None:
        os.write(self._notes, json.dumps({"at": time.monotonic(), **fields}).encode() + b"\n")


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedPoolFactory(RedisPoolFactory):
    """Opens a recorded pool where it is called."""

    record: str = field(default_factory=lambda: os.environ[PLACE])

    def __call__(self) -> RecordedPool:
        """A pool with its own connections, and its own file of the record."""
        return RecordedPool(RedisPoolFactory.__call__(self), Path(self.record))


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedWriterFactory(RedisWriterFactory):
    """Opens a recorded pool for an actor where it is called."""

    record: str = field(default_factory=lambda: os.environ[PLACE])

    def __call__(self) -> RecordedPool:
        """Return a writer with its own connections, and its own file of the record."""
        return RecordedPool(RedisWriterFactory.__call__(self), Path(self.record))


class Record:
    """The record as it is read by the test, which takes in new lines with each `look`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[Path, int] = {}
        self.stored: dict[str, float] = {}  # when Redis first answered for a game
        self.spoke: dict[str, float] = {}  # when a writer was answered last
        self.read: dict[str, Counter[str]] = {}  # how often each process of the learner read each game
        self.newest_reader = ""  # the process that read last
        self._read_last = 0.0

    def look(self) -> Record:
        """Take in what was noted since."""
        for path in sorted(self._folder.glob("*.jsonl")):
            with path.open("rb") as file:
                file.seek(self._offsets.get(path, 0))
                whole = file.read()
            whole = whole[: whole.rfind(b"\n") + 1]
            self._offsets[path] = self._offsets.get(path, 0) + len(whole)
            for line in whole.splitlines():
                self._take(path.stem, json.loads(line))
        return self

    def writers(self, prefix: str = "") -> set[str]:
        """The names of all that have stored a game and are called so; a restarted actor has a new one."""
        return {writer for writer in self.look().spoke if writer.startswith(prefix)}

    def stored_after(self, at: float) -> list[float]:
        """When games were answered for after a time."""
        return sorted(when for when in self.look().stored.values() if when > at)

    def _take(self, process: str, line: dict[str, Any]) -> None:
        if "stored" in line:
            self.stored.setdefault(line["stored"], line["at"])
            writer = line["stored"].rpartition("/")[0]
            self.spoke[writer] = max(line["at"], self.spoke.get(writer, 0.0))
        else:
            self.read.setdefault(process, Counter()).update(line["read"])
            if line["at"] >= self._read_last:
                self.newest_reader, self._read_last = process, line["at"]
