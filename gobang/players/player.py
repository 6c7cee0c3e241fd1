"""The interface of all players, and the turn that they are asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from gobang.interfaces import LiveSearch
    from gobang.rules.position import Position


def always() -> bool:
    """Nothing stops a player from thinking."""
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One move asked of a player, e.g. `Turn(game=3, position=position, seconds=0.1)`."""

    game: int  # the same number for all moves of one game, so that a player can keep its tree
    position: Position  # to be read, not changed
    seconds: float | None = None  # time for this move; None: the player's own budget
    most_seconds: float | None = None  # time in doubt; without doubt the player may end early. None: use `seconds` up
    may_go_on: Callable[[], bool] = always  # asked now and then: if not, play the best move found so far


class Player(Protocol):
    """Chooses moves, in many games at once.

    moves = player.choose([Turn(game=0, position=position), ...])
    player.close()
    """

    name: str
    games_at_once: int  # most games that may be in progress with this player, e.g. 1 for a program

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """A legal point for each turn; raises PlayerFailure if it cannot give one."""

    def close(self) -> None:
        """Free what the player holds; it is not used again."""


@runtime_checkable
class Ponderer(Protocol):
    """A player that can think while it is the opponent's turn."""

    def ponder(self, turn: Turn) -> None:
        """Search the opponent's turn until it may not go on, and keep what is found for one's own next turn."""


@runtime_checkable
class MemoryLimited(Protocol):
    """A player with trees whose memory can be limited between two moves."""

    def limit_memory(self, megabytes: int | None) -> None:
        """Make the trees anew at the next move, with at most `megabytes`; None leaves it to the player's options."""


@runtime_checkable
class Analyst(Protocol):
    """A player whose search can be looked at while it goes on.

    search = player.analyse(position, simulations=10_000)
    while search.step():
        show(search.analysis(most=5))
    """

    def analyse(self, position: Position, simulations: int) -> LiveSearch:
        """Begin a search of its own of an undecided position; several may be under way."""
