"""The result of a match between `a` and `b` in games of three and four, as text and as JSON.

One of the two sits alone among copies of the other, in every seat in turn, and they exchange their seats for the
second game of a pair, so that in all games together both have as many seats of each colour.  A game of P players is
worth P points: all of them to the seat that wins, or one to each in a draw; 3-1-0 among three.  So points are what the
search maximises (P - 1 for a win, -1 for another's, 0 for a draw) plus one, equal players share them evenly, and a
seat of theirs makes one point a game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.matches.summary import (
    CONTESTANTS,
    Failure,
    course_as_dict,
    course_lines,
    distinct,
    failures_of,
    ms_per_move,
)
from evaluator.statistics.intervals import bootstrap_interval
from evaluator.statistics.sign_test import chance_of_equals
from evaluator.statistics.tally import NO_GAMES, Tally, tally
from gobang.match import PlayedGame, arrangements
from gobang.types import COLOURS


@dataclass(frozen=True, kw_only=True, slots=True)
class SeatsSummary:
    """A match as `a` sees it; identical games count once in all but `games`, `failures` and the time."""

    players: int
    games: int
    by_seats: tuple[Tally, ...]  # for each of the arrangements; a win is one of any seat of a
    interval: tuple[float, float]  # of its share of the points, by a bootstrap over the openings
    equals: float  # chance that equal players would do as well, by permutation of the seats within pairs
    failures: tuple[Failure, ...]
    ms_per_move: tuple[float, float]  # of a, of b; NaN without a move

    @property
    def total(self) -> Tally:
        """All games together; its `games` are the distinct ones."""
        return sum(self.by_seats, NO_GAMES)

    @property
    def share(self) -> float:
        """Of all points, those of a; one half if there is no game."""
        points = sum(_points(self.players, *row) for row in self.rows)
        return points / (self.players * self.total.games) if self.total.games else 0.5

    @property
    def rows(self) -> list[tuple[tuple[int, ...], Tally]]:
        """Who sat where, and what came of it."""
        return list(zip(arrangements(self.players), self.by_seats, strict=True))


def summarise_seats(games: Mapping[int, PlayedGame], players: int) -> SeatsSummary:
    """Count the games of a match of fixtures in all arrangements; the keys are the games' numbers in it."""
    seats = arrangements(players)
    by_seats: dict[tuple[int, ...], list[float]] = {each: [] for each in seats}
    openings: dict[int, list[float]] = {}
    pairs: dict[int, list[float]] = {}
    for number in distinct(games):
        points = games[number].points_of(0)
        by_seats[games[number].fixture.seats].append(points)
        openings.setdefault(number // len(seats), []).append(points)
        pairs.setdefault(number // 2, []).append(points)
    return SeatsSummary(
        players=players,
        games=len(games),
        by_seats=tuple(map(tally, by_seats.values())),
        interval=bootstrap_interval(list(openings.values())),
        equals=chance_of_equals(_margins([pair for pair in pairs.values() if len(pair) == 2], players)),
        failures=failures_of(games),
        ms_per_move=ms_per_move(games),
    )


def _margins(pairs: Sequence[Sequence[float]], players: int) -> list[int]:
    """[2 P + 1] how many pairs have each margin."""
    counts = [0] * (2 * players + 1)
    for pair in pairs:
        counts[round(players * sum(pair))] += 1
    return counts


def _points(players: int, seats: tuple[int, ...], counts: Tally) -> int:
    """Of a in games of one arrangement."""
    return players * counts.wins + seats.count(0) * counts.draws


def _name(seats: tuple[int, ...]) -> str:
    """As in "a alone as black"."""
    single = 0 if seats.count(0) == 1 else 1
    return f"{CONTESTANTS[single]} alone as {COLOURS[seats.index(single)]}"


def seats_as_dict(summary: SeatsSummary) -> dict[str, object]:
    """The summary for JSON."""
    return {
        "players": summary.players,
        **_counts(summary.total),
        "share": round(summary.share, 4),
        "share_interval": [round(bound, 4) for bound in summary.interval],
        "chance_of_equals": round(summary.equals, 6),
        "by_seats": {
            _name(seats): {**_counts(counts), "points": _points(summary.players, seats, counts)}
            for seats, counts in summary.rows
        },
        "games": summary.games,
        "distinct": summary.total.games,
        **course_as_dict(summary.failures, summary.ms_per_move),
    }


def _counts(counts: Tally) -> dict[str, object]:
    return {"wins": counts.wins, "draws": counts.draws, "losses": counts.losses}


def seats_as_text(summary: SeatsSummary) -> str:
    """The summary as a small table; the last column has the points of a for each of its seats and games, 1 if equal."""
    total, (low, high) = summary.total, summary.interval
    lines = [f"{'':18}{'wins':>6}{'draws':>7}{'losses':>8}{'points a seat':>15}"]
    for seats, counts in summary.rows:
        points = _points(summary.players, seats, counts) / max(1, counts.games * seats.count(0))
        lines.append(f"{_name(seats):18}{counts.wins:6}{counts.draws:7}{counts.losses:8}{points:15.2f}")
    return "\n".join(
        [
            *lines,
            f"{'a':18}{total.wins:6}{total.draws:7}{total.losses:8}",
            "",
            f"share       {summary.share:.3f} of the points, with 95 % certainty {low:.3f} to {high:.3f}; 0.5 is even",
            f"equals      would do as well with a chance of {summary.equals:.2g}",
            f"games       {summary.games}, distinct {total.games}",
            *course_lines(summary.failures, summary.ms_per_move),
        ]
    )
