"""The data that crosses the borders of modules: the variant of the game, positions, evaluations, games.

Shape letters, here and in every module:
    B  positions in a batch      A  points of the board, height * width
    G  games in lock step        P  players, 2 to 4
    M  last moves that are shown

Points are numbered row by row from the lower left corner: `point = row * width + column`, so that
on an 8x8 board a1 is 0, h1 is 7 and a8 is 56.  Players are numbered in the order in which they
move; player 0 is black.  Chances are a vector of P + 1 probabilities, and an outcome is an index into it: 0 to P - 1 is
the player who won, P is a draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gobang.errors import InvalidVariant

if TYPE_CHECKING:  # the command line knows boards and rules, and answers at once without numpy
    import numpy as np
    from numpy.typing import NDArray

EMPTY: Final = 0  # in a cell; player p's stones are p + 1
NO_MOVE: Final = -1  # in place of a point
UNDECIDED: Final = -1  # in place of an outcome

COLOURS: Final = ("black", "white", "red", "blue")  # of the players' stones, in the order in which they move

RANDOM: Final = "random"  # kinds of openings, where one can be named
BALANCED: Final = "balanced"

RULES: Final = ("freestyle", "standard", "renju", "caro")
MIN_SIDE: Final = 3
MAX_SIDE: Final = 22
MIN_K: Final = 3
MAX_K: Final = 8
MAX_PLAYERS: Final = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """The game that is played, e.g. `Variant(height=15, width=15, k=5, rule="renju", players=2)`.

    `freestyle` wins with k or more in a row, `standard` with exactly k, `renju` with exactly five
    for black, who has forbidden points, and five or more for white, `caro` with more than five, or
    with five that the opponent has not blocked at both ends.
    """

    height: int = 15
    width: int = 15
    k: int = 5
    rule: str = "freestyle"
    players: int = 2

    def __post_init__(self) -> None:
        for name, side in (("height", self.height), ("width", self.width)):
            if not MIN_SIDE <= side <= MAX_SIDE:
                raise InvalidVariant(f"{name} {side}: boards are {MIN_SIDE} to {MAX_SIDE} points a side")
        if not MIN_K <= self.k <= MAX_K:
            raise InvalidVariant(f"k {self.k}: a row of {MIN_K} to {MAX_K} stones wins")
        if self.k > max(self.height, self.width):
            raise InvalidVariant(f"k {self.k}: no row of {self.k} fits on {self.height}x{self.width}")
        if self.rule not in RULES:
            raise InvalidVariant(f"rule {self.rule!r}: one of {', '.join(RULES)}")
        if not 2 <= self.players <= MAX_PLAYERS:
            raise InvalidVariant(f"players {self.players}: 2 to {MAX_PLAYERS}")
        if self.rule in ("renju", "caro") and (self.k, self.players) != (5, 2):
            wrong = f"not k={self.k}, players={self.players}"
            raise InvalidVariant(f"{self.rule} is five in a row for two players, {wrong}")

    @classmethod
    def square(cls, size: int, k: int = 5, rule: str = "freestyle", players: int = 2) -> Variant:
        """A board of `size` x `size` points."""
        return cls(height=size, width=size, k=k, rule=rule, players=players)

    def has_rules_of(self, other: Variant) -> bool:
        """Whether the games differ at most in their boards."""
        return (self.k, self.rule, self.players) == (other.k, other.rule, other.players)

    @property
    def points(self) -> int:
        """Number of points A."""
        return self.height * self.width

    @property
    def moves_shown(self) -> int:
        """Number of last moves M that are shown: one of each player, of two the opponent's alone."""
        return 1 if self.players == 2 else self.players

    @property
    def draw(self) -> int:
        """Index of a draw in a vector of chances."""
        return self.players

    def __str__(self) -> str:
        players = "" if self.players == 2 else f", {self.players} players"
        return f"{self.height}x{self.width}, {self.k} in a row, {self.rule}{players}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Boards:
    """A batch of positions as a network sees it; the arrays belong to the caller."""

    variant: Variant
    cells: NDArray[np.int8]  # [B, A] EMPTY or player + 1
    to_move: NDArray[np.int8]  # [B] player
    last_moves: NDArray[np.int16]  # [B, M] points or NO_MOVE, the latest first

    def __len__(self) -> int:
        return len(self.to_move)


@dataclass(frozen=True, kw_only=True, slots=True)
class Positions(Boards):
    """A batch of positions as an evaluator gets it: boards, and a key by which an answer can be remembered."""

    key: NDArray[np.uint64]  # [B] Zobrist key of stones and side to move


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluations:
    """An evaluator's answers to a batch; the arrays belong to the caller."""

    priors: NDArray[np.float32]  # [B, A] not negative; the search masks and normalises them
    chances: NDArray[np.float32]  # [B, P + 1] P(win) of the side to move, of the next, ..., P(draw)

    @property
    def are_finite(self) -> bool:
        """Whether there is no NaN and no infinity in them: either would show in the sum."""
        return math.isfinite(self.priors.sum()) and math.isfinite(self.chances.sum())


@dataclass(frozen=True, kw_only=True, slots=True)
class GameRecord:
    """A finished game as it was played, e.g. `GameRecord(variant=Variant(), moves=(112, 113, ...), outcome=0)`."""

    variant: Variant
    moves: tuple[int, ...]  # points in the order of play
    outcome: int  # index into a vector of chances
    opening: int = 0  # how many of the moves were given, not chosen
    note: str = ""  # why it ended if not on the board, e.g. "player 1: no answer within 5 s"

    def points(self, *players: int) -> float:
        """1 if one of these players won, else 0; of a draw the share of players that they are: one alone of two a half.

        P times that are the points of these players, of which a win has P and a draw one for each: 3-1-0 among three.
        """
        if self.outcome == self.variant.draw:
            return len(players) / self.variant.players
        return float(self.outcome in players)


@dataclass(frozen=True, kw_only=True, slots=True)
class SelfPlayGame:
    """A finished game of self-play with what the search found at each of its T plies.

    Policies are sparse: those of ply t are the entries `policy_start[t]` to `policy_start[t + 1]`
    of N in all.  E.g. id "node1-7/000042" is the 42nd game of actor node1-7.
    """

    variant: Variant
    id: str  # actor and sequence number; a game is stored once under its id
    moves: NDArray[np.int16]  # [T] points in the order of play
    outcome: int  # index into a vector of chances
    policy_start: NDArray[np.int32]  # [T + 1]
    policy_point: NDArray[np.int16]  # [N]
    policy_share: NDArray[np.float32]  # [N] of each ply they sum to 1; a ply may have none
    searched: NDArray[np.float32]  # [T, P + 1] mean chances by player as the search saw them
    surprise: NDArray[np.float32]  # [T] KL divergence of the policy from the network's prior
    version: NDArray[np.int32]  # [T] of the weights that searched

    def __len__(self) -> int:
        return len(self.moves)


@dataclass(frozen=True, kw_only=True, slots=True)
class MoveAnalysis:
    """A move that a search considers, e.g. `MoveAnalysis(point=112, visits=830, chances=(0.6, 0.3, 0.1), ...)`."""

    point: int
    visits: int
    prior: float  # of the network; certain moves have none and 0 here
    chances: tuple[float, ...]  # [P + 1] by player, then of a draw, once it is played
    proven: int  # certain outcome or UNDECIDED
    line: tuple[int, ...]  # the best play from here, which begins with the point


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """What a search knows of a position so far; the array belongs to the caller."""

    visits: int  # simulations so far
    chances: tuple[float, ...]  # [P + 1] by player, then of a draw
    proven: int  # certain outcome or UNDECIDED
    moves: tuple[MoveAnalysis, ...]  # best first
    priors: NDArray[np.float32]  # [A] of the network, 0 where there is none
