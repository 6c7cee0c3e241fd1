"""`python -m gobang.gomocup --player SPEC`: an engine for Piskvork and other Gomocup managers."""

from __future__ import annotations

import argparse
import logging
import os
import sys

from gobang.errors import GobangError
from gobang.gomocup.engine import PlayerBrain, serve
from gobang.gomocup.protocol import Conversation
from gobang.players.spec import parse
from gobang.players.table import options_table, players_table
from gobang.players.trained import FALLBACK, trained_help
from gobang.types import RULES
from gobang.version import installed_version


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gobang gomocup",
        description="Speak the Gomocup protocol on standard input and output.",
        epilog=f"{trained_help()}\n\nPlayers and their options:\n\n{players_table()}\n\n{options_table()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--player",
        metavar="SPEC",
        help=f"who plays, within the manager's limits (a trained player of this or the nearest board, else {FALLBACK})",
    )
    parser.add_argument("--k", type=int, default=5, help="stones in a row that win (%(default)s)")
    parser.add_argument(
        "--rule", choices=RULES, default="freestyle", help="until INFO rule says otherwise (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the player's random choices (%(default)s)")
    return parser


def _about(player: str | None) -> str:
    facts = {
        "name": f"gobang-{player}" if player else "gobang",
        "version": installed_version(),
        "author": "the gobang authors",
        "country": "international",
    }
    return ", ".join(f'{key}="{value}"' for key, value in facts.items())


def main(argv: list[str] | None = None) -> int:
    """Serve until END or the end of the input."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        spec = parse(arguments.player) if arguments.player else None
    except GobangError as error:
        parser.error(str(error))
    name = spec.name if spec else None
    if name == "human":
        parser.error("--player human: the manager has the terminal")
    logging.basicConfig(stream=sys.stderr)
    # What a library prints must not reach the manager: its own replies keep the real standard output.
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)
        brain = PlayerBrain(spec, arguments.seed)
        conversation = Conversation(brain, k=arguments.k, rule=arguments.rule, about=_about(name))
        try:
            serve(conversation, 0, replies)
        finally:
            brain.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
