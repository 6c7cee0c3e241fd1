"""What the games of a tournament say: points, Elo of all players from all games, and each pairing's score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.intervals import score_interval
from evaluator.statistics.rao_kupper import Strengths, fit
from evaluator.statistics.tally import Tally
from gobang.types import Variant

FIRST_WON: Final = 0
DRAWN: Final = 1
SECOND_WON: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """How a game ended, e.g. `Result(first=0, second=2, outcome=DRAWN)`, a draw of players 0 and 2."""

    first: int  # number of the player that had black, or sat alone among copies of the other
    second: int
    outcome: int  # FIRST_WON, DRAWN or SECOND_WON


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Standings:
    """A tournament so far; players by number."""

    names: tuple[str, ...]
    players: int  # P of the games
    results: NDArray[np.int64]  # [N, N, 3] games that the row's player won as black, or alone, drew, and lost
    strengths: Strengths

    @property
    def order(self) -> list[int]:
        """The players, the strongest first."""
        return [int(player) for player in np.argsort(-self.strengths.elo, kind="stable")]

    def tally(self, player: int, opponents: Iterable[int], colours: Iterable[int] = (0, 1)) -> Tally:
        """Results of a player against others, as black or alone (0), as white or as all others (1), or both."""
        total = Tally(wins=0, draws=0, losses=0)
        for opponent in opponents:
            for colour in colours:
                pair = (player, opponent) if colour == 0 else (opponent, player)
                first, drawn, second = (int(count) for count in self.results[pair])
                wins, losses = (first, second) if colour == 0 else (second, first)
                total += Tally(wins=wins, draws=drawn, losses=losses)
        return total

    def interval(self, player: int, opponent: int) -> tuple[float, float]:
        """Of the expected score per game of a player against another, with 95 % certainty."""
        met = self.tally(player, [opponent])
        return score_interval(met.wins, met.draws, met.losses)


def standings(names: tuple[str, ...], variant: Variant, results: Iterable[Result]) -> Standings:
    """Count the games."""
    counts = np.zeros((len(names), len(names), 3), np.int64)
    for result in results:
        counts[result.first, result.second, result.outcome] += 1
    return Standings(names=names, players=variant.players, results=counts, strengths=fit(counts))


def as_text(table: Standings) -> str:
    """The cross-table, the strongest first; columns by rank."""
    everyone = range(len(table.names))
    width = max(map(len, table.names))
    ranks = "".join(f"{rank:>7}" for rank in range(1, len(table.names) + 1))
    lines = [f"{'':4}{'':{width}}{'Elo':>7}{'+-':>5}{'games':>7}{'score':>7} {ranks}"]
    for rank, player in enumerate(table.order, 1):
        total = table.tally(player, everyone)
        scores = "".join(f"{_score(table, player, other):>7}" for other in table.order)
        elo, error = table.strengths.elo[player], table.strengths.error[player]
        lines.append(
            f"{rank:>3} {table.names[player]:{width}}{elo:>+7.0f}{error:>5.0f}{total.games:>7}{total.score:>7.3f} "
            + scores
        )
    return "\n".join([*lines, "", about_model(table)])


def about_model(table: Standings) -> str:
    """What is meant by Elo here, and what was found beside the players'."""
    drawn = int(table.results[:, :, 1].sum())
    first = "moving first" if table.players == 2 else f"to be alone against {table.players - 1}"
    return (
        f"Elo by the model of Rao and Kupper, mean 0, with intervals of 95 %: {first} is worth "
        f"{table.strengths.advantage:+.0f} Elo; {drawn} of {int(table.results.sum())} games were drawn."
    )


def as_json(table: Standings) -> dict[str, object]:
    """All that the cross-table says, for programs."""
    everyone = range(len(table.names))
    return {
        "advantage_of_black" if table.players == 2 else "advantage_of_one_alone": round(table.strengths.advantage, 1),
        "players": [
            {
                "name": table.names[player],
                "elo": round(float(table.strengths.elo[player]), 1),
                "elo_error": round(float(table.strengths.error[player]), 1),
                **_counts(table.tally(player, everyone)),
            }
            for player in table.order
        ],
        "matches": [
            {
                "a": table.names[player],
                "b": table.names[other],
                **_counts(table.tally(player, [other])),
                "score_interval": [round(bound, 4) for bound in table.interval(player, other)],
            }
            for player in everyone
            for other in everyone
            if player < other and table.tally(player, [other]).games
        ],
    }


def _counts(counts: Tally) -> dict[str, object]:
    return {"wins": counts.wins, "draws": counts.draws, "losses": counts.losses, "score": round(counts.score, 4)}


def _score(table: Standings, player: int, other: int) -> str:
    met = table.tally(player, [other])
    return f"{met.score:.3f}" if met.games else "-"
