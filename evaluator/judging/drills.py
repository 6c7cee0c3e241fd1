"""Drills: elementary questions to a version's network alone, without any search.

The journal has a line for each version that was drilled.  No verdict depends on it.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from evaluator.judging.contest import Stoppable
from evaluator.judging.journal import Journal, Line
from evaluator.truth.simple import share_alike, share_found, urgent_positions
from gobang.interfaces import Evaluator, Versions
from gobang.match import Fixture, play_games
from gobang.openings import random_openings
from gobang.players.options import SearchOptions
from gobang.players.random_player import RandomPlayer
from gobang.players.searching import SearchingPlayer
from gobang.run_folder import RunFolder
from gobang.search.threats.tactics import FORCED, WIN
from gobang.types import Variant
from gobang.versions import NO_VERSION, version_name

_PAIRS: Final = 10  # of games against random moves
_PLIES: Final = 2  # random moves before each
_POLICY_ALONE: Final = 1  # simulation visits the likeliest move
_SEED: Final = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Drill:
    """How a version's network did, e.g. `Drill(version=12, takes_win=0.97, blocks=0.93, alike=0.81, ...)`."""

    version: int
    takes_win: float  # share of the positions with a win in one
    blocks: float  # share of the positions in which the other side threatens one
    alike: float  # share of the views of a position, turned or mirrored, in which the likeliest move is the same
    against_random: tuple[float, float]  # score against random moves, as black and as white; else alone in these seats


class Drills:
    """Drills versions and remembers the last result; one at a time writes to a folder.

    drills = Drills(variant, folder, stopping)
    if drills.wants(version):
        drills.drill(version, versions)
    """

    def __init__(self, variant: Variant, folder: RunFolder, stopping: threading.Event) -> None:
        """Once `stopping` is set, in whatever thread, a drill is dropped."""
        self.last: Drill | None = None
        self._variant = variant
        self._stopping = stopping
        self._journal = Journal(folder.drills, stopping)
        for line in self._journal.lines():
            self.last = _drill(line) or self.last

    def wants(self, version: int) -> bool:
        """Whether the version is newer than the last one drilled."""
        return version > (self.last.version if self.last else NO_VERSION)

    def drill(self, version: int, versions: Versions) -> None:
        """Drill a version; raises Stopped, VersionGone, and what its evaluator raises."""
        with versions.evaluator(version) as evaluator:
            drill = drilled(evaluator, self._variant, version, self._stopping)
        self._journal.append(asdict(drill))
        self.last = drill

    def close(self) -> None:
        """Write no more."""
        self._journal.close()


def drilled(
    evaluator: Evaluator, variant: Variant, version: int, stopping: threading.Event, pairs: int = _PAIRS
) -> Drill:
    """Ask a version's evaluator everything, and let it play so many pairs of games; raises Stopped."""
    return Drill(
        version=version,
        takes_win=share_found(evaluator, variant, urgent_positions(variant, WIN)),
        blocks=share_found(evaluator, variant, urgent_positions(variant, FORCED)),
        alike=share_alike(evaluator, variant),
        against_random=_against_random(evaluator, variant, version, stopping, pairs),
    )


def _against_random(
    evaluator: Evaluator, variant: Variant, version: int, stopping: threading.Event, pairs: int
) -> tuple[float, float]:
    """Score as black and as white."""
    options = SearchOptions(sims=_POLICY_ALONE, solver=False, reuse=False)
    player = SearchingPlayer(version_name(version), variant, options, evaluator, seed=_SEED)
    openings = random_openings(variant, _PLIES, pairs, _SEED)
    fixtures = [Fixture(opening=opening, seats=seats) for opening in openings for seats in _alone(variant)]
    with contextlib.closing(player):
        opponent = RandomPlayer(_SEED)
        games = play_games(variant, [Stoppable(player, stopping), opponent], fixtures)
    points = np.array([game.points_of(0) for game in games])
    return float(points[0::2].mean()), float(points[1::2].mean())


def _alone(variant: Variant) -> tuple[tuple[int, ...], ...]:
    """The seats of contestant 0 as black and as white, with all others for contestant 1."""
    return tuple(tuple(int(seat != own) for seat in range(variant.players)) for own in range(2))


def _drill(line: Line) -> Drill | None:
    """What a line of the journal holds, if it is one."""
    try:
        drill = Drill(**line)
        black, white = drill.against_random
    except (TypeError, ValueError):
        return None
    return Drill(**{**line, "against_random": (black, white)})
