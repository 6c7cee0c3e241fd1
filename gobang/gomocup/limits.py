"""Time limits: how long a move may take by the manager's limits of turn and match.

The rest of the match is shared out among the moves that are to be expected.  A move whose search is in doubt may take
some more, which the moves that are plain leave over.  Where a share is more than the limit of a turn, saved time is
worth nothing: each move takes its whole turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from gobang.players.gomocup_text import NO_MATCH_LIMIT

LEAST_SECONDS: Final = 0.001  # when there is no time left, or none was ever given
_LEAST_MARGIN: Final = 0.010  # seconds between the end of the search and the deadline
_MARGIN: Final = 0.05  # of the limit, where that is more
_LONG_GAME: Final = 70  # stones, until which the match's time is shared out evenly
_FEWEST_MOVES_AHEAD: Final = 10  # in a longer game
_LEAST_PART: Final = 6  # of the moves to a full board, in a longer game
_SHARES_IN_DOUBT: Final = 1.6  # in a game that is not long; were all moves in doubt, a seventh would be left after it
_MOST_OF_THE_REST: Final = 0.5  # of the match's time for one move, unless its share is more


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowance:
    """Time to think about a move, e.g. `Allowance(seconds=4.75, most_seconds=11.9)`."""

    seconds: float
    most_seconds: float | None  # in doubt; None if saved time is worth nothing


@dataclass(kw_only=True, slots=True)
class Limits:
    """The manager's time limits, in milliseconds; None is no limit."""

    turn_ms: int | None = None
    match_ms: int | None = None
    left_ms: float | None = None  # of the match

    def set_turn(self, milliseconds: int) -> None:
        """Take INFO timeout_turn; 0 asks to play at once."""
        self.turn_ms = max(0, milliseconds)

    def set_match(self, milliseconds: int) -> None:
        """Take INFO timeout_match; 0 is no limit."""
        self.match_ms = milliseconds if milliseconds > 0 else None
        self.left_ms = self.match_ms

    def set_left(self, milliseconds: int) -> None:
        """Take INFO time_left, which may be negative."""
        self.left_ms = None if milliseconds >= NO_MATCH_LIMIT else max(0, milliseconds)

    def new_match(self) -> None:
        """Give the whole match's time back."""
        self.left_ms = self.match_ms

    def spend(self, seconds: float) -> None:
        """Count a move's time for managers that do not send time_left."""
        if self.left_ms is not None:
            self.left_ms = max(0.0, self.left_ms - 1000 * seconds)

    def for_move(self, *, stones: int, points: int, elapsed: float) -> Allowance | None:
        """Return the time to think, `elapsed` seconds after the command arrived; None if nothing limits it."""
        turn = math.inf if self.turn_ms is None else self.turn_ms / 1000
        share = most = math.inf
        if self.left_ms is not None:
            left = self.left_ms / 1000
            share = left / _moves_ahead(stones, points)
            more = _SHARES_IN_DOUBT * share if stones < _LONG_GAME else share
            most = max(share, min(more, _MOST_OF_THE_REST * left))
        if min(turn, share) == math.inf:
            return None
        if turn <= share:
            return Allowance(seconds=_with_margin(turn, elapsed), most_seconds=None)
        return Allowance(seconds=_with_margin(share, elapsed), most_seconds=_with_margin(min(turn, most), elapsed))


def _with_margin(limit: float, elapsed: float) -> float:
    return max(LEAST_SECONDS, limit - max(_LEAST_MARGIN, _MARGIN * limit) - elapsed)


def _moves_ahead(stones: int, points: int) -> int:
    """Own moves that the rest of the match's time is shared among."""
    to_the_end = (points - stones + 1) // 2
    expected = max((_LONG_GAME - stones) // 2, _FEWEST_MOVES_AHEAD, to_the_end // _LEAST_PART)
    return max(1, min(to_the_end, expected))
