"""What the commands have in common: exit codes, how the game is given, and how a command is typed."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from gobang.errors import GobangError, InvalidVariant
from gobang.numbers import read_whole
from gobang.types import MAX_PLAYERS, RULES, Variant

EXIT_FAILED: Final = 1
EXIT_INVALID: Final = 2  # a mistake in what was asked
EXIT_INTERRUPTED: Final = 130
SCRIPT: Final = "gobang"
PLAYER_COUNTS: Final = range(2, MAX_PLAYERS + 1)  # how many a game may have


def add_game_options(parser: argparse.ArgumentParser, *, size: int = 15, k: int = 5, reason: str = "") -> None:
    """Add --size, --k, --rule and --players; `reason` says why the board is as it is where it is not given."""
    because = f", {reason}" if reason else ""
    parser.add_argument(
        "--size", type=board_size, default=(size, size), metavar="HxW", help=f"8, or 6x5 ({size}{because})"
    )
    add_rule_options(parser, k=k)


def add_rule_options(parser: argparse.ArgumentParser, *, k: int = 5) -> None:
    """Add --k, --rule and --players alone, where the board is another's to say."""
    parser.add_argument("--k", type=int, default=k, help="stones in a row that win (%(default)s)")
    parser.add_argument("--rule", choices=RULES, default=RULES[0], help="(%(default)s)")
    parser.add_argument("--players", type=int, choices=PLAYER_COUNTS, default=2, help="in the game (%(default)s)")


def concluded(program: str, run: Callable[[], None], interrupted: str) -> int:
    """The exit code of what runs as `python -m`; a mistake in what was asked, or Ctrl-C, is one line."""
    try:
        run()
    except GobangError as error:
        sys.stderr.write(f"python -m {program}: error: {error}\n")
        return EXIT_INVALID
    except KeyboardInterrupt:
        sys.stderr.write(f"{interrupted}\n")
        return EXIT_INTERRUPTED
    return 0


def check_two(arguments: argparse.Namespace, reason: str) -> None:
    """Raise InvalidVariant, with the reason, unless the game is for two."""
    if arguments.players != 2:
        raise InvalidVariant(f"--players {arguments.players}: {reason}")


def variant_of(arguments: argparse.Namespace) -> Variant:
    """The game that the options say; raises InvalidVariant."""
    height, width = arguments.size
    return Variant(height=height, width=width, k=arguments.k, rule=arguments.rule, players=arguments.players)


def board_size(text: str) -> tuple[int, int]:
    """Height and width from "8" or "6x5"."""
    height, cross, width = text.partition("x")
    sides = read_whole(height), read_whole(width if cross else height)
    if sides[0] is None or sides[1] is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 8 or 6x5")
    return sides[0], sides[1]


def count_of(text: str) -> int:
    """Return the whole number, from 1, of an argument."""
    number = read_whole(text, 1)
    if number is None:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 1")
    return number


def typed(command: str) -> str:
    """How to type a command of `gobang` here: by its name alone if that is on the PATH, else with its full path."""
    beside = Path(sys.executable).with_name(SCRIPT)
    started = Path(sys.argv[0])
    script = started if started.name == SCRIPT and started.exists() else beside
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m gobang.cli {command}"
    found = shutil.which(SCRIPT)
    is_on_path = found is not None and Path(found).samefile(script)
    return f"{SCRIPT if is_on_path else shlex.quote(str(script.absolute()))} {command}"
