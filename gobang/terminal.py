"""`gobang play`: a person against a player, on a drawn board.

The person's moves are read here and not through the player `human`, so that they can be taken back.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gobang.analysis.desk import Analysts
from gobang.analysis.query import Query
from gobang.analysis.threats import find_threats
from gobang.command_line import EXIT_FAILED, variant_of
from gobang.compiling import with_notice
from gobang.disk import write_atomically
from gobang.errors import GobangError, InvalidConfig
from gobang.players.human import PLAYER_NAMES, QUIT, Console, ask_move, draw_for_person
from gobang.players.levels import LEVELS
from gobang.players.player import Player, Turn
from gobang.players.requested import parse_requested
from gobang.players.spec import make_player, parse
from gobang.players.trained import default_player
from gobang.rules.position import Position, point_name
from gobang.sgf import GameText, result_text, write_sgf
from gobang.types import COLOURS, UNDECIDED, Variant

_UNDO: Final = "undo"
_HINT: Final = "hint"
_LEVEL: Final = "level"
_SAVE: Final = "save"
_COMMANDS: Final = {
    _UNDO: "take your last move back",
    _HINT: "what a short search would play",
    _LEVEL: f"play on against another player, as in: level easy; {', '.join(LEVELS)}, or one without a file",
    _SAVE: "write the game as SGF, as in: save game.sgf",
    QUIT: "leave the game",
}
_HINT_VISITS: Final = 400
_HINT_MOVES: Final = 3


@dataclass(slots=True, kw_only=True)
class Table:
    """A game of a person against a player."""

    position: Position
    person: int
    player: Player
    console: Console
    seed: int = 0
    name: str = ""  # text of the player
    granted: str = ""  # text of the player that the command line names
    analysts: Analysts = field(default_factory=lambda: Analysts("", 1))
    _shown: list[int] | None = None  # the moves on the board that was drawn last
    _saved: set[Path] = field(default_factory=set)  # files of this game, which it may replace
    _game: int = 0  # a new number whenever what the player remembers no longer holds

    def play(self) -> int:
        """Play to the end; returns the outcome, UNDECIDED if the person left."""
        position, console = self.position, self.console
        while position.outcome == UNDECIDED:
            if position.to_move != self.person:
                point = self.player.choose([Turn(game=self._game, position=position)])[0]
                console.tell(f"{PLAYER_NAMES[position.to_move]} plays {point_name(position.variant, point)}")
                position.play(point)
                continue
            self.show()
            answer = ask_move(console, position, _COMMANDS)
            if isinstance(answer, int):
                position.play(answer)
                continue
            command, _, text = answer.partition(" ")
            if command == QUIT:
                return UNDECIDED
            self._obey(command, text.strip())
        return position.outcome

    def show(self) -> None:
        """Draw the board, unless it still stands above."""
        if self._shown != self.position.moves:
            self._shown = self.position.moves.copy()
            self.console.tell(draw_for_person(self.position, self.console.style))

    def _obey(self, command: str, text: str) -> None:
        """Do what was typed; what is wrong with it is said, and the game goes on."""
        actions = {_UNDO: self._take_back, _HINT: self._hint, _LEVEL: self._change_player, _SAVE: self._save}
        try:
            actions[command](text)
        except (GobangError, OSError, ValueError, RuntimeError) as error:  # the last two for paths such as ~nobody/x
            self.console.tell(str(error))

    def _take_back(self, text: str) -> None:
        """Undo up to and including the person's last move."""
        position = self.position
        if self.person >= len(position.moves):
            self.console.tell("There is no move of yours to take back.")
            return
        position.undo()
        while position.to_move != self.person:
            position.undo()
        self._game += 1

    def _hint(self, text: str) -> None:
        """The best moves of a short search, and what the solver proves."""
        position, variant = self.position, self.position.variant
        query = Query(id="hint", variant=variant, moves=tuple(position.moves), turns=(len(position.moves),))
        search = self.analysts(query).analyse(position, _HINT_VISITS)
        while search.step():
            pass
        for each in search.analysis(_HINT_MOVES).moves:
            line = " ".join(point_name(variant, point) for point in each.line[:5])
            win, draw = 100 * each.chances[self.person], 100 * each.chances[-1]
            self.console.tell(f"{point_name(variant, each.point):>4}  win {win:3.0f} %  draw {draw:3.0f} %  {line}")
        threats = find_threats(position)
        if threats.win:
            self.console.tell("You win by force.")
        elif threats.menace:
            self.console.tell(f"Beware of {point_name(variant, threats.menace[0])}.")

    def _change_player(self, text: str) -> None:
        if not text:
            self.console.tell(
                f"You play against {self.name}; {_LEVEL} NAME changes it: {', '.join(LEVELS)}, or one without a file"
            )
            return
        player = make_player(parse_requested(text, granted=(self.granted,)), self.position.variant, self.seed)
        self.player.close()
        self.player, self.name = player, text
        self._game += 1
        self.console.tell(f"From now on against {text}.")

    def _save(self, text: str) -> None:
        path = Path(text or "game.sgf").expanduser()
        if os.path.lexists(path) and path not in self._saved:
            raise GobangError(f"{path} is there already: choose another name, as in: {_SAVE} other.sgf")
        players = [self.name] * self.position.variant.players
        players[self.person] = "human"
        game = GameText(
            variant=self.position.variant,
            moves=tuple(self.position.moves),
            players=tuple(players),
            result=result_text(self.position),
        )
        write_atomically(path, (write_sgf(game) + "\n").encode())
        self._saved.add(path)
        self.console.tell(f"The game is in {path}.")


def _result(outcome: int, person: int, draw: int, *, is_closed: bool) -> str:
    if outcome == UNDECIDED:
        return "The input has ended, so the game ends here." if is_closed else "You left the game."
    return "A draw." if outcome == draw else "You win." if outcome == person else "You lose."


def run(arguments: argparse.Namespace) -> int:
    """Play; 0 when the game was played or left."""
    with with_notice(sys.stderr):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    variant = variant_of(arguments)
    seed = random.randrange(2**31) if arguments.seed is None else arguments.seed
    colours = COLOURS[: variant.players]
    colour = random.Random(seed).choice(colours) if arguments.colour == "random" else arguments.colour
    if colour not in colours:
        raise InvalidConfig(f"--colour {colour}: {variant.players} players have {', '.join(colours)}")
    table = _table(arguments.player or default_player(variant), variant, colours.index(colour), seed)
    console = table.console
    others = "" if variant.players == 2 else f", which plays {' and '.join(each for each in colours if each != colour)}"
    console.tell(f"{variant}. You are {colour}, against {table.player.name}{others}. (help: ?)")
    try:
        outcome = table.play()
    except GobangError as error:
        console.tell(f"The game ends: {error}")
        return EXIT_FAILED
    finally:
        table.player.close()
    table.show()
    console.tell(_result(outcome, table.person, variant.draw, is_closed=console.is_closed))
    return 0


def _table(name: str, variant: Variant, person: int, seed: int) -> Table:
    return Table(
        position=Position(variant),
        person=person,
        player=make_player(parse(name), variant, seed),
        console=Console(),
        seed=seed,
        name=name,
        granted=name,
    )
