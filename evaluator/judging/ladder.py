"""The ladder: rollout players of rising strength, which the versions have to beat one after the other.

A rung is won when a climber wins the needed share of its games against a rollout search; then the
next rung has more playouts.  Above the last rung the gate against the best network is all there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evaluator.judging.gate import PROMOTE, GateConfig, Standing
from gobang.errors import InvalidConfig

_PERCENT_OF_TWO: Final = 100
_PERCENT_OF_MORE: Final = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class LadderConfig:
    """The rungs, e.g. 1000, 2000, ... 10000 playouts a move."""

    first: int = 1000  # playouts of the lowest rung
    step: int = 1000
    last: int = 10_000
    games: int = 20  # at each rung; an even number
    percent: int | None = None  # of the points that win a rung; if not given all of two players, 60 of more
    opening_plies: int = 2  # random moves before each pair of games
    patience: int = 10  # candidates in a row without any progress until the ladder stands still

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise InvalidConfig(f"ladder first {self.first}, last {self.last}: the first rung is the lowest")
        if self.step < 1:
            raise InvalidConfig(f"ladder step {self.step}: at least 1")
        if self.patience < 1:
            raise InvalidConfig(f"ladder patience {self.patience}: at least 1")
        self.contest(players=2)

    def contest(self, players: int) -> GateConfig:
        """The match that is played at each rung.

        Among three nobody wins all games: two copies of a weak player may help each other without wanting to.
        """
        default = _PERCENT_OF_TWO if players == 2 else _PERCENT_OF_MORE
        percent = default if self.percent is None else self.percent
        return GateConfig(
            rule="fixed", games=self.games, percent=percent, openings="random", opening_plies=self.opening_plies
        )


class Ladder:
    """State of the climb; it follows from the matches alone, told in the order in which they ended.

    ladder.gated(12, standing)                     # 12 has met the best network
    while ladder.climber is not None:
        ladder.tried(ladder.rung, play(ladder.climber, ladder.rung))
    """

    def __init__(self, config: LadderConfig) -> None:
        self.rung: int | None = config.first  # playouts to be beaten next; None above the last rung
        self.climber: int | None = None  # version that has to try the rung
        self.standstills = 0  # how often `patience` candidates in a row made no progress
        self.without_progress = 0  # candidates since the last progress or standstill
        self._config = config
        self._most_points = -1.0  # at this rung
        self._progressed = False  # the candidate in hand

    def gated(self, candidate: int, standing: Standing) -> None:
        """A candidate has met the best network; a promotion is progress."""
        self._progressed = standing.verdict == PROMOTE
        if self.rung is None:
            self._finish()
        else:
            self.climber = candidate

    def tried(self, playouts: int, standing: Standing) -> None:
        """The climber has played its games; to win them, or more points than anyone before, is progress."""
        if standing.verdict == PROMOTE:
            self._climb(playouts)
        else:
            self._progressed |= standing.total.points > self._most_points
            self._most_points = max(self._most_points, standing.total.points)
            self._finish()

    def give_up(self) -> None:
        """The climber cannot play: it counts as if it had not come."""
        self.climber = None

    def _climb(self, playouts: int) -> None:
        while self.rung is not None and self.rung <= playouts:
            following = self.rung + self._config.step
            self.rung = following if following <= self._config.last else None
        self._most_points = -1.0
        self._progressed = True
        if self.rung is None:
            self._finish()

    def _finish(self) -> None:
        """The candidate has met everyone."""
        self.climber = None
        self.without_progress = 0 if self._progressed else self.without_progress + 1
        if self.without_progress == self._config.patience:
            self.standstills += 1
            self.without_progress = 0
