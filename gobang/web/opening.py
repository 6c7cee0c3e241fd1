"""The openings swap and swap2 as a dialog: who puts stones, who takes a colour.

    swap     seat 0 puts black, white, black; seat 1 takes a colour
    swap2    the same, but seat 1 may instead put white and black, and leave the choice to seat 0

Until a colour is taken nobody has one; then black sits in seat 0, and white goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from gobang.errors import IllegalMove, InvalidConfig
from gobang.players.swap2 import ALL_STONES, FIRST_STONES
from gobang.types import COLOURS, Variant

SWAP: Final = "swap"
SWAP2: Final = "swap2"
NONE: Final = ""
OPENINGS: Final = (NONE, SWAP, SWAP2)
BLACK, WHITE = COLOURS[:2]
TWO_MORE: Final = "two"  # stones

_SHORTEST_ROW: Final = 4  # which the stones of an opening cannot make


@dataclass(slots=True, kw_only=True)
class Opening:
    """The opening of a game, as far as it has come, e.g. `Opening(rule="swap2", chosen=["two"])`."""

    rule: str = NONE
    chosen: list[str] = field(default_factory=list)  # in turn

    @property
    def is_over(self) -> bool:
        """Whether everybody has a colour."""
        return self.rule == NONE or self.chosen[-1:] not in ([], [TWO_MORE])

    @property
    def stones(self) -> int:
        """How many there are when the next colour is taken, or were when the last one was."""
        return ALL_STONES if TWO_MORE in self.chosen else 0 if self.rule == NONE else FIRST_STONES

    @property
    def settled(self) -> int:
        """How many moves can no more be taken back."""
        return self.stones if self.is_over else FIRST_STONES if self.chosen else 0

    def actor(self, ply: int) -> int:
        """The seat that puts the next stone or chooses; only while it is not over."""
        return 1 if FIRST_STONES <= ply < ALL_STONES else 0

    def choices(self, ply: int) -> list[str]:
        """What the actor may choose now; nothing while it is to put a stone."""
        if self.is_over or ply != self.stones:
            return []
        return [BLACK, WHITE] + [TWO_MORE] * (self.rule == SWAP2 and not self.chosen)

    def choose(self, choice: str, ply: int) -> bool:
        """Note the choice of the actor; whether the seats are now exchanged.  Raises IllegalMove."""
        choices = self.choices(ply)
        if choice not in choices:
            raise IllegalMove(f"choice {choice[:40]!r}: " + (" or ".join(choices) or "there is nothing to choose now"))
        self.chosen.append(choice)
        return choice != TWO_MORE and (choice == BLACK) != (self.actor(ply) == 0)


def read_opening(rule: object, chosen: object, variant: Variant, ply: int) -> Opening:
    """An opening that has come as far as its choices and a number of moves say; raises InvalidConfig."""
    if rule not in OPENINGS:
        raise InvalidConfig(f"opening {str(rule)[:40]!r}: {SWAP}, {SWAP2} or nothing")
    opening = Opening(rule=str(rule))
    if opening.rule and (variant.players != 2 or variant.k < _SHORTEST_ROW):
        raise InvalidConfig(f"opening {rule}: for two players and {_SHORTEST_ROW} or more in a row")
    if not isinstance(chosen, Sequence) or len(chosen) > ALL_STONES - FIRST_STONES:
        raise InvalidConfig(f"chosen {str(chosen)[:40]!r}: a list of choices")
    for choice in chosen:
        try:
            opening.choose(str(choice), opening.stones)
        except IllegalMove as error:
            raise InvalidConfig(str(error)) from error
    if not opening.settled <= ply or (not opening.is_over and ply > opening.stones):
        raise InvalidConfig(f"{ply} moves: not a game of which {opening.rule} has come to {opening.chosen}")
    return opening
