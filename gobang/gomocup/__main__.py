"""`gobang gomocup --player SPEC`: an engine for Piskvork and other Gomocup managers."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from functools import partial
from typing import Final

from gobang.command_line import check_two
from gobang.commands import run_as_module
from gobang.errors import InvalidSpec
from gobang.gomocup.engine import PlayerBrain, serve, write_line
from gobang.gomocup.inbox import Inbox
from gobang.gomocup.protocol import Conversation
from gobang.players.gomocup_text import TWO_PLAYERS
from gobang.players.spec import parse
from gobang.version import VERSION


def _about(player: str | None) -> str:
    facts = {
        "name": f"gobang-{player}" if player else "gobang",
        "version": VERSION,
        "author": "the gobang authors",
        "country": "international",
    }
    return ", ".join(f'{key}="{value}"' for key, value in facts.items())


def run(arguments: argparse.Namespace) -> int:
    """Serve until END or the end of the input."""
    check_two(arguments, TWO_PLAYERS)
    spec = parse(arguments.player) if arguments.player else None
    name = spec.name if spec else None
    if name == "human":
        raise InvalidSpec("--player human: the manager has the terminal")
    logging.basicConfig(stream=sys.stderr)
    # What a library prints must not reach the manager: its own replies keep the real standard output.
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)
        inbox = Inbox(0)
        write = partial(write_line, replies)
        brain = PlayerBrain(spec, arguments.seed, may_think=inbox.may_think, may_ponder=inbox.is_empty, write=write)
        conversation = Conversation(
            brain, k=arguments.k, rule=arguments.rule, about=_about(name), ponders=arguments.ponder, write=write
        )
        try:
            serve(conversation, inbox, replies)
        finally:
            brain.close()
    return 0


main: Final = partial(run_as_module, "gomocup", run)

if __name__ == "__main__":
    sys.exit(main())
