"""`gobang play`: a person against a player, on a drawn board.

The person's moves are read here and not through the player `human`, so that they can be taken back.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import Final

from gobang.errors import GobangError
from gobang.players.human import PLAYER_NAMES, QUIT, Console, ask_move, draw_for_person
from gobang.players.player import Player, Turn
from gobang.players.spec import make_player, parse
from gobang.players.table import options_table, players_table
from gobang.players.trained import FALLBACK, default_player, trained_help
from gobang.rules.position import Position, draw_board, point_name
from gobang.types import RULES, UNDECIDED, Variant

_COLOURS: Final = ("black", "white")
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gobang play",
        description="Play against the computer.",
        epilog=f"{trained_help()}\n\nPlayers and their options:\n\n{players_table()}\n\n{options_table()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--player",
        metavar="SPEC",
        help=f"whom to play (a trained player of this or the nearest board, else {FALLBACK})",
    )
    parser.add_argument("--size", type=int, default=8, help="points a side (%(default)s)")
    parser.add_argument("--k", type=int, default=5, help="stones in a row that win (%(default)s)")
    parser.add_argument("--rule", choices=RULES, default="freestyle", help="(%(default)s)")
    parser.add_argument("--colour", choices=[*_COLOURS, "random"], default="black", help="yours (%(default)s)")
    parser.add_argument("--seed", type=int, default=None, help="of the player and of a random colour")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command; 0 when the game was played or left."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    seed = random.randrange(2**31) if arguments.seed is None else arguments.seed
    colour = random.Random(seed).choice(_COLOURS) if arguments.colour == "random" else arguments.colour
    console = Console()
    try:
        variant = Variant.square(arguments.size, arguments.k, arguments.rule)
        player = make_player(parse(arguments.player or default_player(variant)), variant, seed)
    except GobangError as error:
        parser.error(str(error))
    console.tell(f"{variant}. You are {colour}, against {player.name}. (help: ?)")
    position = Position(variant)
    try:
        outcome = play(_COLOURS.index(colour), player, position, console)
    except GobangError as error:
        console.tell(f"The game ends: {error}")
        return 1
    finally:
        player.close()
    console.tell(draw_board(position))
    console.tell(_result(outcome, _COLOURS.index(colour), variant.draw))
    return 0


if __name__ == "__main__":
    sys.exit(main())
