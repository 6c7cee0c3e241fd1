"""The result of a match of games of two between `a` and `b`: as text, as JSON, and as records of the games."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.statistics.intervals import elo, paired_interval, wilson
from evaluator.statistics.tally import Tally, tally
from gobang.match import NOBODY, PlayedGame
from gobang.rules.position import point_name
from gobang.sgf import GameText, write_sgf
from gobang.types import COLOURS

CONTESTANTS: Final = ("a", "b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Games lost off the board for one reason, e.g. `Failure(contestant=1, reason="no answer within 5 s", games=3)`."""

    contestant: int
    reason: str
    games: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A match as `a` sees it; identical games count once in all but `games`, `failures` and the time."""

    games: int
    by_colour: tuple[Tally, Tally]  # a as black, a as white
    score_interval: tuple[float, float]
    elo_interval: tuple[float, float]
    failures: tuple[Failure, ...]
    ms_per_move: tuple[float, float]  # of a, of b; NaN without a move

    @property
    def total(self) -> Tally:
        """Both colours together; its `games` are the distinct ones."""
        black, white = self.by_colour
        return black + white


def summarise(games: Mapping[int, PlayedGame]) -> Summary:
    """Count the games of a match of paired fixtures; the keys are the games' numbers in it."""
    numbers = distinct(games)
    pairs: dict[int, list[float]] = {}
    colours: tuple[list[float], list[float]] = ([], [])
    for number in numbers:
        points = games[number].points_of(0)
        pairs.setdefault(number // 2, []).append(points)
        colours[games[number].fixture.seats.index(0)].append(points)
    low, high = paired_interval(list(pairs.values()))
    return Summary(
        games=len(games),
        by_colour=(tally(colours[0]), tally(colours[1])),
        score_interval=wilson(sum(map(sum, colours)), len(numbers)),
        elo_interval=(elo(low), elo(high)),
        failures=failures_of(games),
        ms_per_move=ms_per_move(games),
    )


def distinct(games: Mapping[int, PlayedGame]) -> list[int]:
    """The numbers of the games without those that are identical to others."""
    return sorted({_identity(games[number]): number for number in sorted(games)}.values())


def _identity(game: PlayedGame) -> tuple[object, ...]:
    return game.fixture.seats, game.record.moves, game.record.outcome


def failures_of(games: Mapping[int, PlayedGame]) -> tuple[Failure, ...]:
    """Those that were lost off the board."""
    counts = Counter(
        (game.fixture.seats[game.failed], game.record.note.partition(": ")[2])
        for game in games.values()
        if game.failed != NOBODY
    )
    return tuple(
        Failure(contestant=contestant, reason=reason, games=count)
        for (contestant, reason), count in sorted(counts.items())
    )


def ms_per_move(games: Mapping[int, PlayedGame]) -> tuple[float, float]:
    """Of a and of b; NaN without a move."""
    return _ms_per_move(games, 0), _ms_per_move(games, 1)


def _ms_per_move(games: Mapping[int, PlayedGame], contestant: int) -> float:
    seats = [
        (game, seat) for game in games.values() for seat, who in enumerate(game.fixture.seats) if who == contestant
    ]
    choices = sum(game.choices[seat] for game, seat in seats)
    return 1000 * sum(game.seconds[seat] for game, seat in seats) / choices if choices else math.nan


def as_dict(summary: Summary) -> dict[str, object]:
    """The summary for JSON; what is infinite or unknown is None, and the interval has the bound that is left."""
    total = summary.total
    low, high = summary.elo_interval
    return {
        **_counts(total),
        "score_interval": [round(bound, 4) for bound in summary.score_interval],
        "elo": _finite(elo(total.score)),
        "elo_error": _finite((high - low) / 2),
        "elo_interval": [_finite(low), _finite(high)],
        "by_colour": {colour: _counts(counts) for colour, counts in zip(COLOURS, summary.by_colour, strict=False)},
        "games": summary.games,
        "distinct": total.games,
        **course_as_dict(summary.failures, summary.ms_per_move),
    }


def course_as_dict(failures: Sequence[Failure], milliseconds: tuple[float, float]) -> dict[str, object]:
    """For JSON, what happened besides the results."""
    return {
        "failures": [
            {"player": CONTESTANTS[failure.contestant], "reason": failure.reason, "games": failure.games}
            for failure in failures
        ],
        "ms_per_move": dict(zip(CONTESTANTS, map(_finite, milliseconds), strict=True)),
    }


def _counts(counts: Tally) -> dict[str, object]:
    return {"wins": counts.wins, "draws": counts.draws, "losses": counts.losses, "score": round(counts.score, 4)}


def _finite(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None


def as_text(summary: Summary) -> str:
    """The summary as a small table."""
    total = summary.total
    rows = zip(("a as black", "a as white", "a"), (*summary.by_colour, total), strict=True)
    low, high = summary.score_interval
    lines = [
        f"{'':12}{'wins':>6}{'draws':>7}{'losses':>8}{'score':>8}",
        *(f"{name:12}{each.wins:6}{each.draws:7}{each.losses:8}{each.score:8.3f}" for name, each in rows),
        "",
        f"score       {total.score:.3f}, with 95 % certainty {low:.3f} to {high:.3f}",
        f"Elo         {elo_text(total.score, *summary.elo_interval)}",
        f"games       {summary.games}, distinct {total.games}",
        *course_lines(summary.failures, summary.ms_per_move),
    ]
    return "\n".join(lines)


def course_lines(failures: Sequence[Failure], milliseconds: tuple[float, float]) -> list[str]:
    """For people, what happened besides the results."""
    times = ", ".join(_time_text(*each) for each in zip(CONTESTANTS, milliseconds, strict=True))
    lost = (f"{CONTESTANTS[each.contestant]} lost {each.games} off the board: {each.reason}" for each in failures)
    return [f"time        {times}", *(f"failure     {words}" for words in lost)]


def elo_text(score: float, low: float, high: float) -> str:
    """The difference in Elo that a score stands for, with what its interval says, e.g. "+53 +- 21"."""
    if math.isfinite(low) and math.isfinite(high) and 0 < score < 1:
        return f"{elo(score):+.0f} +- {(high - low) / 2:.0f}"
    known = f"{elo(score):+.0f}, " if 0 < score < 1 else ""
    if math.isfinite(low):
        return f"{known}over {low:+.0f}"
    return f"{known}under {high:+.0f}" if math.isfinite(high) else f"{known}no bound yet"


def _time_text(name: str, milliseconds: float) -> str:
    return f"{name} made no move" if math.isnan(milliseconds) else f"{name} {milliseconds:.3g} ms a move"


def record_line(number: int, game: PlayedGame, names: tuple[str, str]) -> str:
    """A game as one line of JSON, with `names` of a and b."""
    record = game.record
    variant = record.variant
    fields = {
        "game": number,
        **{colour: names[who] for colour, who in zip(COLOURS, game.fixture.seats, strict=False)},
        "height": variant.height,
        "width": variant.width,
        "k": variant.k,
        "rule": variant.rule,
        "moves": [point_name(variant, point) for point in record.moves],
        "opening": record.opening,
        "result": "draw" if record.outcome == variant.draw else COLOURS[record.outcome],
        "note": record.note,
    }
    return json.dumps(fields)


def record_sgf(number: int, game: PlayedGame, names: tuple[str, str]) -> str:
    """A game as SGF, with `names` of a and b."""
    record = game.record
    result = "Draw" if record.outcome == record.variant.draw else f"{'BW'[record.outcome]}+"
    return write_sgf(
        GameText(
            variant=record.variant,
            moves=record.moves,
            players=(names[game.fixture.seats[0]], names[game.fixture.seats[1]]),
            result=result + ("" if game.failed == NOBODY else "Forfeit"),
            event=f"game {number}",
            comments={len(record.moves): record.note},
        )
    )
