"""`gobang play`: a person against a player, on a drawn board.

The person's moves are read here and not through the player `human`, so that they can be taken back.
"""

from __future__ import annotations

import argparse
import random
from typing import Final

from gobang.command_line import EXIT_FAILED, variant_of
from gobang.commands import COLOURS
from gobang.errors import GobangError
from gobang.players.human import PLAYER_NAMES, QUIT, Console, ask_move, draw_for_person
from gobang.players.player import Player, Turn
from gobang.players.spec import make_player, parse
from gobang.players.trained import default_player
from gobang.rules.position import Position, draw_board, point_name
from gobang.types import UNDECIDED

_UNDO: Final = "undo"
_COMMANDS: Final = {_UNDO: "take your last move back", QUIT: "leave the game"}


def play(person: int, player: Player, position: Position, console: Console) -> int:
    """Play a game to its end, in `position`; returns the outcome, UNDECIDED if the person left."""
    game = 0
    while position.outcome == UNDECIDED:
        if position.to_move != person:
            point = player.choose([Turn(game=game, position=position)])[0]
            console.tell(f"{PLAYER_NAMES[position.to_move]} plays {point_name(position.variant, point)}")
            position.play(point)
            continue
        console.tell(draw_for_person(position))
        answer = ask_move(console, position, _COMMANDS)
        if answer == QUIT:
            return UNDECIDED
        if isinstance(answer, int):
            position.play(answer)
        else:
            _take_back(person, position, console)
            game += 1  # what the player remembers of this game no longer holds
    return position.outcome


def _take_back(person: int, position: Position, console: Console) -> None:
    """Undo up to and including the person's last move."""
    if person >= len(position.moves):
        console.tell("There is no move of yours to take back.")
        return
    position.undo()
    while position.to_move != person:
        position.undo()


def _result(outcome: int, person: int, draw: int) -> str:
    if outcome == UNDECIDED:
        return "You left the game."
    return "A draw." if outcome == draw else "You win." if outcome == person else "You lose."


def run(arguments: argparse.Namespace) -> int:
    """Play; 0 when the game was played or left."""
    seed = random.randrange(2**31) if arguments.seed is None else arguments.seed
    colour = random.Random(seed).choice(COLOURS) if arguments.colour == "random" else arguments.colour
    console = Console()
    variant = variant_of(arguments)
    player = make_player(parse(arguments.player or default_player(variant)), variant, seed)
    console.tell(f"{variant}. You are {colour}, against {player.name}. (help: ?)")
    position = Position(variant)
    try:
        outcome = play(COLOURS.index(colour), player, position, console)
    except GobangError as error:
        console.tell(f"The game ends: {error}")
        return EXIT_FAILED
    finally:
        player.close()
    console.tell(draw_board(position))
    console.tell(_result(outcome, COLOURS.index(colour), variant.draw))
    return 0
