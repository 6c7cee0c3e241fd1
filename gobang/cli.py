"""The console script `gobang`: one command in front of the parts that can be run."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from gobang.command_line import EXIT_INTERRUPTED
from gobang.commands import COMMANDS
from gobang.errors import GobangError, nearest
from gobang.version import installed_version

_EXAMPLES: Final = """\
examples:
  gobang play --player rollout:ms=1000,solver=on --size 8
  gobang train --preset 5x5 --minutes 5
  gobang match --a uniform:sims=400 --b rollout:sims=1000 --games 100
  gobang gomocup --player uniform --rule standard

`gobang COMMAND --help` explains a command; `gobang play --help` lists all players and their options.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 for a mistake in what was asked."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in ([], ["help"]):
        words = ["--help"]
    parser = argparse.ArgumentParser(
        prog="gobang", epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-V", "--version", action="version", version=f"gobang {installed_version()}")
    parsers = _add_commands(parser)
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        parser.error(f"there is no command {words[0]!r}; {nearest(words[0], COMMANDS)}")
    try:
        if words[0] in COMMANDS and COMMANDS[words[0]].arguments is None:
            return int(_module(words[0]).main(words[1:]))
        arguments, unknown = parser.parse_known_args(words)
        if unknown:  # here, as argparse would show the usage of `gobang` itself
            parsers[words[0]].error(f"unrecognized arguments: {' '.join(unknown)}")
        return int(_module(words[0]).run(arguments))
    except GobangError as error:
        parsers[words[0]].error(str(error))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _add_commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Of each command, by its name."""
    group = parser.add_subparsers(title="commands", metavar="COMMAND")
    parsers = {name: group.add_parser(name, help=command.meaning) for name, command in COMMANDS.items()}
    for name, command in COMMANDS.items():
        command.set_up(parsers[name])
    return parsers


def _module(name: str) -> ModuleType:
    return importlib.import_module(COMMANDS[name].module)


if __name__ == "__main__":
    sys.exit(main())
