"""Who meets whom, and which games are still to be played.

The games have numbers: those of the first pairing, then those of the second, and so on.  In a pairing each opening
is played twice in a row, the second time with the colours swapped.  In games of more than two a pairing is a match of
copies: one of the two alone among copies of the other, in each of the arrangements of gobang/match.py.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from evaluator.matches.workers import GameSet, game_sets
from evaluator.tournaments.standings import DRAWN, FIRST_WON, SECOND_WON, Result
from gobang.errors import InvalidConfig
from gobang.match import arrangements, paired
from gobang.openings import Opening
from gobang.players.spec import make_player, parse
from gobang.types import Variant

Pairing = tuple[int, int]  # numbers of players


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A tournament, e.g. `Plan(players=("pattern", "random"), pairings=((0, 1),), openings=((27, 36),), ...)`."""

    variant: Variant
    players: tuple[str, ...]  # as texts
    pairings: tuple[Pairing, ...]
    openings: tuple[Opening, ...]
    seed: int

    def __post_init__(self) -> None:
        doubled = sorted({player for player in self.players if self.players.count(player) > 1})
        if doubled:
            raise InvalidConfig(f"{doubled[0]} is named twice")
        if len(self.players) < 2:
            raise InvalidConfig("a tournament needs two players or more")
        for player in self.players:
            parse(player)

    @property
    def games_each(self) -> int:
        """Games of a pairing."""
        return len(arrangements(self.variant.players)) * len(self.openings)

    @property
    def games(self) -> int:
        """Games of the tournament."""
        return self.games_each * len(self.pairings)

    def pairing_of(self, number: int) -> Pairing:
        """Who meets in a game; the first has black, or sits alone, in those with an even number."""
        return self.pairings[number // self.games_each]

    def result(self, number: int, outcome: int) -> Result:
        """What a game's outcome is for those who met in it."""
        first, second = self.pairing_of(number)
        single, others = (first, second) if number % 2 == 0 else (second, first)
        if outcome == self.variant.draw:
            return Result(first=single, second=others, outcome=DRAWN)
        seats = arrangements(self.variant.players)[number % len(arrangements(self.variant.players))]
        has_won = seats[outcome] == number % 2
        return Result(first=single, second=others, outcome=FIRST_WON if has_won else SECOND_WON)

    def sets(self, played: Collection[int]) -> list[GameSet]:
        """What is to be played, where the games with the numbers in `played` are over."""
        return [
            games
            for index, pairing in enumerate(self.pairings)
            for games in self._sets_of(pairing, index * self.games_each)
            if not set(range(games.first, games.first + len(games.fixtures))) <= set(played)
        ]

    def _sets_of(self, pairing: Pairing, first: int) -> list[GameSet]:
        makers = [partial(make_player, parse(self.players[player])) for player in pairing]
        sets = game_sets(self.variant, makers, paired(list(self.openings), self.variant.players), self.seed)
        return [replace(games, first=first + games.first) for games in sets]


def round_robin(players: int) -> tuple[Pairing, ...]:
    """Everyone against everyone."""
    return tuple(combinations(range(players), 2))


def gauntlet(players: int) -> tuple[Pairing, ...]:
    """The first against everyone else."""
    return tuple((0, other) for other in range(1, players))
