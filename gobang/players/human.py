"""A person who plays at the terminal: the board is drawn, moves are typed as `h8`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from gobang.errors import IllegalMove, PlayerFailure
from gobang.players.options import NoOptions
from gobang.players.player import Turn
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, draw_board, parse_point
from gobang.rules.rule import has_forbidden_points
from gobang.types import EMPTY, Variant

PLAYER_NAMES: Final = ("black (X)", "white (O)", "third (#)", "fourth (@)")
QUIT: Final = "quit"
_FORBIDDEN_MARK: Final = "!"


class Console:
    """Standard input and output as they are when a line is read or written."""

    def tell(self, text: str) -> None:
        """Write a line."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def ask(self, prompt: str) -> str:
        """Read a line, "quit" at the end of the input."""
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        return line.strip().lower() if line else QUIT


def ask_move(console: Console, position: Position, commands: Mapping[str, str]) -> int | str:
    """A legal point or one of the commands (word -> meaning); asks until it gets one."""
    while True:
        answer = console.ask(f"{PLAYER_NAMES[position.to_move]} to move> ")
        if answer in commands:
            return answer
        if answer in ("", "help", "?"):
            console.tell(_help(position.variant, commands))
            continue
        try:
            point = parse_point(position.variant, answer)
            position.check(point)
        except IllegalMove as error:
            console.tell(f"{error}  (help: ?)")
        else:
            return point


def draw_for_person(position: Position) -> str:
    """The board with the empty points that may not be played marked."""
    barred = np.flatnonzero((position.cells == EMPTY) & ~position.legal())
    return draw_board(position, {int(point): _FORBIDDEN_MARK for point in barred})


def _help(variant: Variant, commands: Mapping[str, str]) -> str:
    lines = [f"{variant}: type a point such as a1, column and row."]
    for player, name in zip(range(variant.players), PLAYER_NAMES, strict=False):
        if has_forbidden_points(geometry(variant), player):
            lines.append(f"Points marked {_FORBIDDEN_MARK} are forbidden for {name}.")
    return "\n".join([*lines, *(f"{word}: {meaning}" for word, meaning in commands.items())])


class HumanPlayer:
    """Asks for each move; leaving the terminal gives the game up."""

    name = "human"
    games_at_once = 1

    def __init__(self, console: Console) -> None:
        self._console = console

    def choose(self, turns: Sequence[Turn]) -> list[int]:
        """The answer that the person types; raises PlayerFailure when the person leaves."""
        return [self._choose(turn.position) for turn in turns]

    def close(self) -> None:
        """Hold nothing, free nothing."""

    def _choose(self, position: Position) -> int:
        self._console.tell(draw_for_person(position))
        answer = ask_move(self._console, position, {QUIT: "give the game up"})
        if isinstance(answer, str):
            raise PlayerFailure(f"{PLAYER_NAMES[position.to_move]} gives up")
        return answer


def make_human(options: NoOptions, variant: Variant, seed: int) -> HumanPlayer:
    """Make the player `human`; it plays every variant."""
    return HumanPlayer(Console())
