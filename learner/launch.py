"""Learns a game: `gobang train --preset 8x8 --minutes 30`, or `python -m learner.launch`."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gobang.command_line import PLAYER_COUNTS, board_size
from gobang.commands import run_as_module
from gobang.types import RULES
from learner.replay.pool.redis_url import PASSWORD_VARIABLE, password_of, without_password
from learner.run.presets import DEFAULT_PRESET, preset_names

if TYPE_CHECKING:
    from learner.run.launching import MakeTraining


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of the command `train`, with the presets that there are."""
    presets = ", ".join(preset_names())
    parser.add_argument("--preset", metavar="NAME", help=f"{presets}, or a YAML file ({DEFAULT_PRESET})")
    parser.add_argument("--size", type=board_size, metavar="HxW", help="8, or 6x5 (the preset's)")
    parser.add_argument("--k", type=int, help="stones in a row that win (the preset's)")
    parser.add_argument("--rule", choices=RULES, help="(the preset's)")
    parser.add_argument("--players", type=int, choices=PLAYER_COUNTS, help="in the game (the preset's)")
    parser.add_argument(
        "--actors",
        type=int,
        metavar="N",
        help="processes that play (half of the cores, or all for line shapes; at least 2)",
    )
    parser.add_argument(
        "--in-process", action="store_true", help="play, train and judge in this one process, without Ray and Redis"
    )
    parser.add_argument("--minutes", type=float, metavar="M", help="end after so many minutes")
    parser.add_argument("--games", type=int, metavar="G", help="end after so many games of self-play")
    parser.add_argument("--steps", type=int, metavar="S", help="end after so many training steps")
    parser.add_argument("--evaluations", type=int, metavar="E", help="end after so many positions were evaluated")
    parser.add_argument("--run", type=Path, metavar="DIR", help="folder of the run (a new one in runs/)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --run")
    parser.add_argument("--seed", type=int, metavar="S", help="of the weights and of all that is drawn")
    parser.add_argument(
        "--redis",
        metavar="URL",
        help=f"a Redis server of one's own; its password by ${PASSWORD_VARIABLE} (one is started)",
    )
    parser.add_argument(
        "--address", metavar="auto|HOST:PORT", help="a Ray cluster to join ($RAY_ADDRESS, or one is started)"
    )
    parser.add_argument("--insecure", action="store_true", help="join even a cluster that asks for no token")
    parser.add_argument(
        "--set", dest="assignments", action="append", default=[], metavar="KEY=VALUE", help="a setting; may be repeated"
    )


def run(arguments: argparse.Namespace) -> int:
    """Start a run and watch over it until its end."""
    if arguments.redis and password_of(arguments.redis):
        _conceal_password(arguments.redis)
    from learner.run.launching import launch  # Ray and torch take seconds to load
    from learner.run.options import read

    launch(read(arguments), _kind_of_run(in_process=arguments.in_process))
    return 0


def _kind_of_run(*, in_process: bool) -> MakeTraining:
    if in_process:
        from learner.loop import Loop  # neither Ray nor Redis need be installed

        return Loop
    from learner.run.run import Run

    return Run


def _conceal_password(url: str) -> None:
    """Start this process again without the password in its arguments: all users see those, and Ray stores them."""
    words = [word.replace(url, without_password(url)) for word in sys.orig_argv]
    if words == sys.orig_argv:
        return  # it was not given by the arguments of the process
    sys.stderr.write(
        "warning: the password in --redis could be seen among the processes of this machine until now, and is in the "
        f"shell's history: give it in {PASSWORD_VARIABLE}\n"
    )
    sys.stderr.flush()
    os.environ[PASSWORD_VARIABLE] = password_of(url)
    os.execv(sys.executable, words)


main: Final = partial(run_as_module, "train", run)

if __name__ == "__main__":
    sys.exit(main())
