"""The console script `gobang`: one command in front of the parts that can be run."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Final

from gobang.commands import COMMANDS, conduct
from gobang.errors import nearest
from gobang.version import VERSION

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
    name = words[0]
    parser = argparse.ArgumentParser(
        prog="gobang", epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-V", "--version", action="store_true", help="show the version")
    parsers = _add_commands(parser)
    if not name.startswith("-") and name not in COMMANDS:
        parser.error(f"there is no command {name!r}; {nearest(name, COMMANDS)}")
    if name in COMMANDS:
        return conduct(name, parsers[name], lambda: _run(words, parser, parsers[name]))
    if parser.parse_args(words).version:
        print(f"gobang {VERSION}")
    return 0


def _add_commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Of each command, by its name; the one that was asked for gets its arguments."""
    group = parser.add_subparsers(title="commands", metavar="COMMAND")
    return {name: group.add_parser(name, help=command.meaning) for name, command in COMMANDS.items()}


def _run(words: list[str], parser: argparse.ArgumentParser, own: argparse.ArgumentParser) -> int:
    """Read the words and run the command, whose `own` parser it is that shows its usage."""
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        own.error(f"unrecognized arguments: {' '.join(unknown)}")
    return int(importlib.import_module(COMMANDS[words[0]].module).run(arguments))


if __name__ == "__main__":
    sys.exit(main())
