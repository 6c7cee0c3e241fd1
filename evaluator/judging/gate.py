"""The test of a match: is the candidate better than its opponent?  It gets the pairs of games as they end.

The sequential gate leaves draws out: between good players on a small board nine games of ten are drawn, and a
share of all points would hardly move.  A candidate is promoted when it has won 55 % of the decided games, and is
shown to be better than its opponent by the test of evaluator/statistics/sign_test.  The fixed gate plays all its
games and counts a draw as half a point.

In games of three and more one of the two sits alone among copies of the other, and they exchange their seats for the
second game of a pair (`arrangements` in gobang/match.py); a side has won when one of its seats has.

A rung of the ladder is tried by a fixed gate, too; the verdict PROMOTE then says that it was won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from evaluator.judging.journal import Line
from evaluator.statistics.sign_test import evidence, is_better_at_last, is_better_early, is_hopeless
from evaluator.statistics.tally import NO_GAMES, Tally, tally
from gobang.errors import InvalidConfig, InvalidGame
from gobang.match import arrangements
from gobang.types import BALANCED, COLOURS, RANDOM, GameRecord, Variant

CONTINUE: Final = "continue"
PROMOTE: Final = "promote"
REJECT: Final = "reject"

SEQUENTIAL: Final = "sequential"

_Rule = Literal["sequential", "fixed"]
_PAIR: Final = 2  # games


@dataclass(frozen=True, kw_only=True, slots=True)
class GateConfig:
    """How a candidate is tested, e.g. `GateConfig(rule="fixed", games=100)`."""

    rule: _Rule = SEQUENTIAL
    games: int = 400  # most games, or all games of a fixed gate; an even number
    percent: int = 55  # that a candidate needs: of the decided games, or of the points of a fixed gate
    openings: Literal["balanced", "random"] = "balanced"  # balanced ones where the package holds some
    opening_plies: int = 6  # of random openings; fewer leave good players on small boards little but draws

    def __post_init__(self) -> None:
        if self.rule not in get_args(_Rule):
            raise InvalidConfig(f"gate rule {self.rule!r}: one of {', '.join(get_args(_Rule))}")
        if self.games < _PAIR or self.games % _PAIR:
            raise InvalidConfig(f"gate games {self.games}: an even number, since every opening is played twice")
        if not 1 <= self.percent <= 100:
            raise InvalidConfig(f"gate percent {self.percent}: from 1 to 100")
        if self.openings not in (BALANCED, RANDOM):
            raise InvalidConfig(f"gate openings {self.openings!r}: {BALANCED} or {RANDOM}")
        if self.opening_plies < 0:
            raise InvalidConfig(f"gate opening_plies {self.opening_plies}: at least 0")


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestGame:
    """A game of a match with who played it, e.g. `ContestGame(match=17, number=3, names=("v7", "v12"), ...)`.

    Games 2n and 2n + 1 of a match are a pair: one opening, after which the two have exchanged their seats.
    """

    match: int
    number: int
    names: tuple[str, ...]  # [P] who sat where: versions, or a rollout search, e.g. "rollout:sims=1000"
    record: GameRecord

    def points_of(self, name: str) -> float:
        """1 for a win of a seat with that name, the share of the seats with it in a draw: one half of two players."""
        return self.record.points(*(seat for seat, each in enumerate(self.names) if each == name))

    @property
    def contestants(self) -> tuple[str, str]:
        """Who plays black, and the other of the two."""
        first = self.names[0]
        return first, next(name for name in self.names if name != first)

    def as_line(self) -> Line:
        """The game for the journal."""
        record = self.record
        names = dict(zip(COLOURS, self.names, strict=False))
        played = {"outcome": record.outcome, "moves": record.moves, "opening": record.opening}
        return {"match": self.match, "number": self.number, **names, **played}

    @classmethod
    def from_line(cls, line: Line, variant: Variant) -> ContestGame:
        """The game of a journal's line; raises InvalidGame."""
        try:
            match, number = line["match"], line["number"]
            names = tuple(line[colour] for colour in COLOURS[: variant.players])
            moves, outcome, opening = tuple(map(int, line["moves"])), line["outcome"], line["opening"]
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidGame(f"evaluation game {line}: {error!r}") from error
        if not all(type(each) is int and each >= 0 for each in (match, number, outcome, opening)):
            raise InvalidGame(f"evaluation game {line}: match, number, outcome and opening count from 0")
        if outcome > variant.draw:
            raise InvalidGame(f"evaluation game {line}: outcome {outcome} is over {variant.draw}, a draw")
        if not all(isinstance(name, str) for name in names):
            raise InvalidGame(f"evaluation game {line}: {' and '.join(COLOURS[: variant.players])} are names")
        record = GameRecord(variant=variant, moves=moves, outcome=outcome, opening=opening)
        return cls(match=match, number=number, names=names, record=record)


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """A match as the candidate sees it; identical games count once in all but `games`."""

    verdict: str  # CONTINUE, PROMOTE or REJECT
    by_colour: tuple[Tally, ...]  # the candidate as black, as white; of P > 2 players one for each of the arrangements
    games: int  # of the pairs counted so far
    log_likelihood_ratio: float  # of a better candidate against an equal one, in nats; journals call it so

    @property
    def total(self) -> Tally:
        """All together."""
        return sum(self.by_colour, NO_GAMES)


class Gate:
    """Counts a match of a candidate.

        gate = Gate(config, candidate="v12")
        for game in recorded: gate.add(game)         # after a restart
        while gate.verdict == CONTINUE:
            for game in play(gate.wanted(pairs=16)):
                gate.add(game)

    Pairs are counted in the order of their numbers, whichever ends first: short games are won more
    clearly than long ones, and the verdict must not depend on who was killed and resumed when.
    """

    def __init__(self, config: GateConfig, candidate: str, players: int = 2) -> None:
        self.verdict = CONTINUE
        self._config = config
        self._candidate = candidate
        self._games: dict[int, ContestGame] = {}  # by number
        self._counted = 0  # pairs
        self._seen: set[tuple[object, ...]] = set()
        self._players = players
        self._by_seats: dict[tuple[bool, ...], Tally] = {  # by which seats are the candidate's
            tuple(who == 0 for who in seats): NO_GAMES for seats in arrangements(players)
        }
        self._pairs = [0] * (2 * players + 1)  # by the candidate's margin, so by its points from 0 to 2 P

    def wanted(self, pairs: int) -> list[int]:
        """Numbers of the games that are missing from the next block of pairs, in order; none after the verdict.

        Blocks begin at multiples of `pairs`, so that a resumed match consists of the same games.
        """
        if self.verdict != CONTINUE:
            return []
        first = _PAIR * pairs * (self._counted // pairs)
        last = min(first + _PAIR * pairs, self._config.games)
        return [number for number in range(first, last) if number not in self._games]

    def add(self, game: ContestGame) -> None:
        """Take in a finished game, in any order; one number counts once."""
        if game.number < self._config.games:
            self._games.setdefault(game.number, game)
        while self.verdict == CONTINUE and (pair := self._next_pair()):
            self._count(pair)
            self._decide()

    def standing(self) -> Standing:
        """Where the match stands, at its end when the verdict fell."""
        return Standing(
            verdict=self.verdict,
            by_colour=tuple(self._by_seats.values()),
            games=_PAIR * self._counted,
            log_likelihood_ratio=float(evidence(self._pairs)),
        )

    def _next_pair(self) -> tuple[ContestGame, ContestGame] | None:
        first, second = (self._games.get(_PAIR * self._counted + game) for game in range(_PAIR))
        return (first, second) if first is not None and second is not None else None

    def _count(self, pair: tuple[ContestGame, ContestGame]) -> None:
        self._counted += 1
        new = [game for game in pair if (game.names, game.record.moves) not in self._seen]
        self._seen.update((game.names, game.record.moves) for game in pair)
        points = [game.points_of(self._candidate) for game in new]
        for game, won in zip(new, points, strict=True):
            self._by_seats[tuple(name == self._candidate for name in game.names)] += tally([won])
        if len(new) == _PAIR:
            self._pairs[round(self._players * sum(points))] += 1

    def _decide(self) -> None:
        is_sequential = self._config.rule == SEQUENTIAL
        is_last = _PAIR * self._counted >= self._config.games
        if is_sequential and is_hopeless(self._pairs):
            self.verdict = REJECT
        elif self._has_enough() and (self._is_shown(is_last=is_last) if is_sequential else is_last):
            self.verdict = PROMOTE
        elif is_last:
            self.verdict = REJECT

    def _is_shown(self, *, is_last: bool) -> bool:
        """Whether the candidate is known to be better."""
        return bool(is_better_early(self._pairs)) or (is_last and is_better_at_last(self._pairs))

    def _has_enough(self) -> bool:
        """Whether the candidate's share reaches the needed percentage, in whole numbers."""
        total = self.standing().total
        if self._config.rule == SEQUENTIAL:
            return total.wins > 0 and 100 * total.wins >= self._config.percent * (total.wins + total.losses)
        return 50 * (2 * total.wins + total.draws) >= self._config.percent * total.games
