"""Balanced openings into a file: gobang openings --size 15 --rule renju --out openings.txt"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from typing import Final

from evaluator.balance.even import even_openings
from evaluator.balance.opinion import judgement_for
from gobang.command_line import EXIT_FAILED, check_two, variant_of
from gobang.commands import run_as_module
from gobang.errors import InvalidConfig
from gobang.openings import format_openings
from gobang.progress import Progress
from gobang.types import Variant


def run(arguments: argparse.Namespace) -> int:
    """Find the openings that the arguments ask for, and write them; returns the exit code."""
    check_two(arguments, "what is even is known of games of two; matches of more begin with random moves")
    variant = variant_of(arguments)
    for name, least in (("count", 1), ("seed", 0)):
        if getattr(arguments, name) < least:
            raise InvalidConfig(f"--{name} {getattr(arguments, name)}: at least {least}")
    judgement = judgement_for(variant, arguments.seed)
    progress = Progress(arguments.count, sys.stderr, unit="openings")
    try:
        openings = even_openings(variant, judgement, arguments.count, arguments.seed, progress.update)
    finally:
        progress.close()
    made = f"{time.strftime('%Y-%m-%d')}, even for {judgement.name}, by\n# {_command(variant, arguments)}"
    try:
        arguments.out.write_text(format_openings(variant, openings, made), encoding="utf8")
    except OSError as error:
        print(f"evaluator.openings: {error}", file=sys.stderr)
        return EXIT_FAILED
    print(f"{len(openings)} openings of {variant} in {arguments.out}, even for {judgement.name}")
    return 0


def _command(variant: Variant, arguments: argparse.Namespace) -> str:
    """What makes the same file again."""
    game = f"--size {variant.height}x{variant.width} --k {variant.k} --rule {variant.rule}"
    return f"gobang openings {game} --count {arguments.count} --seed {arguments.seed} --out FILE"


main: Final = partial(run_as_module, "openings", run)

if __name__ == "__main__":
    sys.exit(main())
