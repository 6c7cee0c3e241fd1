"""The learner's own copy of the newest positions, decoded, from which it draws its batches.

    window = Window(variant, capacity=20_000)
    window.extend(read.games)                  # the oldest games leave as new ones come
    samples = window.sample(256, random)

It holds whole games, as few of the newest as have `capacity` positions with a policy.  Boards are
not kept: a game's moves make them again at less cost than reading them would have.  After a restart
it is filled from the pool and is then what it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gobang.errors import InvalidConfig
from gobang.rules.geometry import geometry
from gobang.types import Boards, SelfPlayGame, Variant
from learner.replay.pool.quantisation import UNIT, UNITS
from learner.replay.window.gathering import Gathered, Stored, gather
from learner.replay.window.samples import Samples, game_stage
from learner.replay.window.sliding import SlidingTable

KINDS: Final = ("uniform", "recent", "surprise")


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplingConfig:
    """Settings of the drawing: which positions come more often.

    `uniform` draws all alike; `recent` the newest e^`sharpness` times as often as the oldest;
    `surprise` gives a share of the draws to positions in proportion to how far the search moved
    away from the network's prior, and the rest to all alike.
    """

    kind: str = "surprise"
    surprise_share: float = 0.5
    sharpness: float = 2.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidConfig(f"sampling {self.kind!r}: one of {', '.join(KINDS)}")
        if not 0 <= self.surprise_share <= 1:
            raise InvalidConfig(f"surprise_share {self.surprise_share}: 0 to 1")
        if not 0 < self.sharpness <= 20:
            raise InvalidConfig(f"sharpness {self.sharpness}: above 0, at most 20")


@dataclass(frozen=True, slots=True)
class _Rows:
    """The number of rows that one game has in each table."""

    plies: int
    entries: int
    positions: int


class Window:
    """The newest games of one variant; belongs to one thread."""

    def __init__(self, variant: Variant, capacity: int, sampling: SamplingConfig | None = None) -> None:
        """`capacity` in positions; see `resize`."""
        chances = (variant.players + 1,)
        self.variant = variant
        self.capacity = capacity
        self._sampling = sampling or SamplingConfig()
        self._games: deque[_Rows] = deque()
        self._surprise = 0.0  # sum over all positions that ever came
        self._plies = SlidingTable(
            {
                "move": (np.int16, ()),
                "ply": (np.int16, ()),
                "length": (np.int16, ()),
                "outcome": (np.int8, ()),
                "searched": (np.float32, chances),
                "version": (np.int32, ()),
                "policy_start": (np.int64, ()),
                "policy_count": (np.int16, ()),
            }
        )
        self._entries = SlidingTable({"point": (np.int16, ()), "units": (np.uint16, ())})
        # The positions that have a policy: the ply of each, and the surprise of all before it.
        self._positions = SlidingTable({"number": (np.int64, ()), "surprise_before": (np.float64, ())})

    def __len__(self) -> int:
        """The number of positions that can be drawn."""
        return len(self._positions)

    @property
    def games(self) -> int:
        """The number of games that it holds."""
        return len(self._games)

    def extend(self, games: Iterable[SelfPlayGame]) -> None:
        """Take in games in the order of the pool, as decoded, and let go of the oldest."""
        for game in games:
            assert game.variant == self.variant, f"{game.id} of {game.variant} in a window of {self.variant}"
            self._append(game)
            self._drop_old()

    def resize(self, capacity: int) -> None:
        """Hold at most `capacity` positions from now on."""
        self.capacity = capacity
        self._drop_old()

    def sample(self, batch: int, random: np.random.Generator) -> Samples:
        """Positions drawn with replacement, as they were played; the arrays are the caller's."""
        assert len(self), "nothing to draw from"
        return self._gather(self._positions.live("number")[self._draw(batch, random)] - self._plies.first)

    def mean_surprise(self) -> float:
        """Of the positions that can be drawn, in nats; 0 if there is none."""
        before = self._positions.live("surprise_before")
        return (self._surprise - float(before[0])) / len(before) if len(before) else 0.0

    def _append(self, game: SelfPlayGame) -> None:
        plies, entries = len(game), len(game.policy_point)
        counts = np.diff(game.policy_start)
        trained = np.flatnonzero(counts)
        totals = self._surprise + np.cumsum(game.surprise[trained], dtype=np.float64)
        self._positions.append(
            len(trained),
            number=self._plies.end + trained,
            surprise_before=np.concatenate(([self._surprise], totals))[: len(trained)],
        )
        self._surprise = float(totals[-1]) if len(trained) else self._surprise
        self._plies.append(
            plies,
            move=game.moves,
            ply=np.arange(plies),
            length=plies,
            outcome=game.outcome,
            searched=game.searched,
            version=game.version,
            policy_start=self._entries.end + game.policy_start[:-1],
            policy_count=counts,
        )
        self._entries.append(entries, point=game.policy_point, units=np.rint(game.policy_share * UNITS))
        self._games.append(_Rows(plies=plies, entries=entries, positions=len(trained)))

    def _drop_old(self) -> None:
        """Let go of the oldest game as long as the others alone are enough."""
        while len(self._games) > 1 and len(self) - self._games[0].positions >= self.capacity:
            rows = self._games.popleft()
            self._plies.drop(rows.plies)
            self._entries.drop(rows.entries)
            self._positions.drop(rows.positions)

    def _draw(self, batch: int, random: np.random.Generator) -> NDArray[np.int64]:
        """[B] indices of positions."""
        size, sampling = len(self), self._sampling
        if sampling.kind == "recent":
            falling = -np.expm1(-sampling.sharpness)  # of the density, from the newest to the oldest
            age = -np.log1p(-random.random(batch) * falling) / sampling.sharpness
            recent: NDArray[np.int64] = size - 1 - np.minimum((age * size).astype(np.int64), size - 1)
            return recent
        drawn = random.integers(size, size=batch)
        before = self._positions.live("surprise_before")
        total = self._surprise - before[0]
        if sampling.kind == "surprise" and total > 0:
            chosen = random.random(batch) < sampling.surprise_share
            targets = before[0] + random.random(batch) * total
            drawn[chosen] = np.searchsorted(before, targets[chosen], side="right") - 1
        return drawn

    def _gather(self, rows: NDArray[np.int64]) -> Samples:
        size, points, chances = len(rows), self.variant.points, self.variant.players + 1
        gathered = Gathered(
            cells=np.empty((size, points), np.int8),
            to_move=np.empty(size, np.int8),
            last_moves=np.empty((size, self.variant.moves_shown), np.int16),
            policy=np.empty((size, points), np.float32),
            search_chances=np.empty((size, chances), np.float32),
            result_chances=np.empty((size, chances), np.float32),
            reply=np.empty(size, np.int16),
            version=np.empty(size, np.int32),
        )
        stored = self._stored()
        gather(geometry(self.variant), stored, self._entries.first, UNIT, rows, gathered)
        return Samples(
            boards=Boards(
                variant=self.variant,
                cells=gathered.cells,
                to_move=gathered.to_move,
                last_moves=gathered.last_moves,
            ),
            policy=gathered.policy,
            search_chances=gathered.search_chances,
            result_chances=gathered.result_chances,
            reply=gathered.reply,
            stage=game_stage(stored.ply[rows], stored.length[rows]),
            weights_version=gathered.version,
            weight=np.ones(size, np.float32),
        )

    def _stored(self) -> Stored:
        plies = [name for name in Stored._fields if name not in ("point", "units")]
        live = {name: self._plies.live(name) for name in plies}
        return Stored(point=self._entries.live("point"), units=self._entries.live("units"), **live)
