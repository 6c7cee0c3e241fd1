"""The interface of replay pools, for those who write games and for the one who reads them.

    pool.add(game)                                     # an actor; see GameSink

    cursor = START                                     # a learner: everything that is stored, then what comes
    while True:
        read = pool.read_since(cursor, limit=256)
        cursor = read.cursor
        window.extend(read.games)
        while pool.take_samples(batch):                # False: wait for more games
            trainer.step(with_random_symmetry(window.sample(batch, random), random))

Positions are those that have a policy to learn; all counts are of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from gobang.errors import InvalidGame
from gobang.interfaces import GameSink
from gobang.types import SelfPlayGame


@dataclass(frozen=True, kw_only=True, slots=True)
class Cursor:
    """A reader's place in the pool, e.g. `Cursor(entry="1712-0", number=42)`; a new reader has START."""

    entry: str  # the last one read, by its name in the pool
    number: int | None  # of the last game read, counted from 1 over all games ever stored


START: Final = Cursor(entry="0-0", number=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rejected:
    """An entry that the learner must not use, because it holds no valid game.

    E.g. `Rejected(entry="1712-0", reason="no msgpack", kept="replay:quarantine")`.
    """

    entry: str
    reason: str
    kept: str  # where its content can be read


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRead:
    """The games of one read, oldest first, and the cursor of the next."""

    games: list[SelfPlayGame]
    cursor: Cursor
    missed: int  # games that were dropped from the pool before this reader came to them
    rejected: list[Rejected]  # entries that went to the quarantine


def check_version(game: SelfPlayGame, newest: int | None) -> None:
    """Raise InvalidGame if the game claims weights newer than the `newest` version published."""
    latest = int(game.version.max(initial=0))
    if newest is not None and latest > newest:
        raise InvalidGame(f"{game.id}: played by version {latest}, but {newest} is the newest")


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolCounters:
    """Counts of a pool since it was made, e.g. `PoolCounters(games=10, positions=300, ...)`."""

    games: int  # ever stored
    positions: int  # of them
    sampled: int  # positions drawn by learners
    quarantined: int
    lost: int  # games that vanished, though the pool was to keep them


NO_COUNTERS: Final = PoolCounters(games=0, positions=0, sampled=0, quarantined=0, lost=0)


def counted(values: Mapping[str, float]) -> PoolCounters:
    """Return what a pool had counted when the run stopped, by the metrics of the run's summary."""
    games, positions, quarantined, lost = (
        int(values.get(name, 0)) for name in ("games", "positions", "rejected", "lost")
    )
    sampled = round(positions * values.get("reuse", 0.0))
    return PoolCounters(games=games, positions=positions, sampled=sampled, quarantined=quarantined, lost=lost)


class ReplayPool(GameSink, Protocol):
    """Both ends of a pool; any method may raise PoolUnavailable.

    Games of one actor are added in the order of their sequence numbers: a number at or below the
    last one stored counts as stored.
    """

    def read_since(self, cursor: Cursor, limit: int, newest: int | None = None) -> PoolRead:
        """Read up to `limit` entries after the cursor; quarantine invalid games.

        A game is invalid if it breaks the rules or claims weights newer than version `newest`.
        """

    def take_samples(self, count: int) -> bool:
        """Whether a learner may draw `count` samples now; if so they are counted."""

    def counters(self) -> PoolCounters:
        """The pool's counters."""
