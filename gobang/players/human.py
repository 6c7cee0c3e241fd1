"""A person who plays at the terminal: the board is drawn, moves are typed as `h8`."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from gobang.errors import IllegalMove, PlayerFailure
from gobang.players.options import NoOptions
from gobang.players.player import Turn
from gobang.rules.geometry import geometry
from gobang.rules.position import Position, draw_board, parse_point
from gobang.rules.rule import has_forbidden_points
from gobang.types import EMPTY, UNDECIDED, Variant

PLAYER_NAMES: Final = ("black (X)", "white (O)", "red (#)", "blue (@)")
QUIT: Final = "quit"
_FORBIDDEN_MARK: Final = "!"
_COLOURS: Final = {"X": "1;36", "O": "1;33", "#": "1;31", "@": "1;35"}  # legible on dark and on light


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """How a board is written: with colours where the terminal has them, narrow where it has few columns."""

    is_coloured: bool = False
    columns: int = 80

    @classmethod
    def of_terminal(cls) -> Style:
        """What standard output can do; NO_COLOR asks for none."""
        has_colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        return cls(is_coloured=has_colours, columns=shutil.get_terminal_size().columns)


_PLAIN: Final = Style()


class Console:
    """Standard input and output as they are when a line is read or written."""

    def __init__(self) -> None:
        self.is_closed = False  # the input has ended

    @property
    def style(self) -> Style:
        """How a board is to be written now."""
        return Style.of_terminal()

    def tell(self, text: str) -> None:
        """Write a line."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def ask(self, prompt: str) -> str:
        """Read a line, "quit" at the end of the input."""
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if line:
            return line.strip()
        self.is_closed = True
        self.tell("")  # ends the line of the prompt
        return QUIT


def ask_move(console: Console, position: Position, commands: Mapping[str, str]) -> int | str:
    """A legal point or one of the commands (word -> meaning) with what follows it; asks until it gets one."""
    while True:
        answer = console.ask(f"{PLAYER_NAMES[position.to_move]} to move> ")
        word, _, rest = answer.partition(" ")
        if word.lower() in commands:
            return f"{word.lower()} {rest}".strip()
        if word.lower() in ("", "help", "?"):
            console.tell(_help(position.variant, commands))
            continue
        try:
            point = parse_point(position.variant, answer)
            position.check(point)
        except IllegalMove as error:
            console.tell(f"{error}  (help: ?)")
        else:
            return point


def draw_for_person(position: Position, style: Style = _PLAIN) -> str:
    """The board with the empty points marked that may not be played."""
    barred = (position.cells == EMPTY) & ~position.legal() & (position.outcome == UNDECIDED)
    text = draw_board(position, {int(point): _FORBIDDEN_MARK for point in np.flatnonzero(barred)})
    if max(map(len, text.splitlines())) >= style.columns:
        text = _narrowed(text)
    return _coloured(text) if style.is_coloured else text


def _narrowed(text: str) -> str:
    """Two columns for each point instead of three; the last move stands behind a bracket."""
    lines = [line.ljust(3) for line in text.splitlines()]
    return "\n".join(
        (line[:3] + "".join(line[at : at + 2] for at in range(3, len(line), 3))).rstrip() for line in lines
    )


def _coloured(text: str) -> str:
    """The same with the stones of the players in colours, the last one in reverse."""
    for stone, colour in _COLOURS.items():
        text = text.replace(f"[{stone}]", f"\x1b[7;{colour}m[{stone}]\x1b[0m")
        text = re.sub(rf"(?<=[ \[]){stone}(?=[ \n\[]|$)", f"\x1b[{colour}m{stone}\x1b[0m", text)
    return text


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
        self._console.tell(draw_for_person(position, self._console.style))
        answer = ask_move(self._console, position, {QUIT: "give the game up"})
        if isinstance(answer, str):
            raise PlayerFailure(f"{PLAYER_NAMES[position.to_move]} gives up")
        return answer


def make_human(options: NoOptions, variant: Variant, seed: int) -> HumanPlayer:
    """Make the player `human`; it plays every variant."""
    return HumanPlayer(Console())
