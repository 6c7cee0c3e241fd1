"""The commands: their names, arguments and help.  What a command needs in order to run is loaded only then.

Each module of the table has `run(arguments)`; most can also be run by themselves: `python -m evaluator.match --help`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gobang.benchmarks import add_benchmarks
from gobang.command_line import EXIT_INTERRUPTED, EXIT_INVALID, add_game_options, add_rule_options, count_of
from gobang.errors import GobangError
from gobang.numbers import read_whole
from gobang.packages import check_ours, named
from gobang.players.table import options_table, players_table
from gobang.players.trained import FALLBACK, trained_help
from gobang.types import BALANCED, COLOURS, RANDOM
from gobang.versions import BEST, LATEST

Run = Callable[[argparse.Namespace], int]  # gives the exit code; raises GobangError for a mistake in what was asked

_PLAYERS: Final = f"{trained_help()}\n\nPlayers and their options:\n\n{players_table()}\n\n{options_table()}"

_EXACT_EXAMPLES: Final = """\
examples:
  %(prog)s --player net:best.safetensors,sims=64,solver=off --size 5 --k 4
      in how many of 1,000 solved positions, all with a choice that matters, its move keeps the value;
      beside it stands what a random mover would reach
  %(prog)s --player net:best.safetensors,sims=1,solver=off --size 6 --k 4
      the same for the network's policy alone: one simulation visits the likeliest move
  %(prog)s --player net:best.safetensors,sims=64 --size 6 --k 4 --openings
      a game after each first move against perfect play, on the side that should win; on 6x6
      these are the 16 inner first moves as black and the 20 at the rim as white
  %(prog)s --player net:best.safetensors,sims=64,solver=off --size 5 --k 4 --in-play 200
      its own turns in games against perfect play and against random moves, where the choice matters
  %(prog)s --draw positions.txt --size 5 --k 4 --seed 1
      draw and solve 1,000 positions, as was done for those that come with the package
      (evaluator/truth/solved.py says how they are drawn)

Leave solver=off away to let the player use its solver of threats, which hides what a network knows.
"""
_TRAIN_EXAMPLES: Final = """\
examples:
  %(prog)s --preset 8x8 --minutes 30
  %(prog)s --run runs/8x8-1 --resume
  %(prog)s --preset 15x15 --address auto --actors 64
  %(prog)s --size 10 --rule renju --set learner.begin_with=builtin-8x8
  %(prog)s --set trainer.learning_rate.peak=2e-3 --set network.options.blocks=6

--minutes, --games, --steps and --evaluations count the whole run, over all resumptions; without them it goes on until
Ctrl-C.
"""
_ANALYSE_EXAMPLES: Final = """\
example:
  echo '{"id": "a", "moves": ["h8", "i9"], "maxVisits": 500}' | %(prog)s

docs/analysis.md says what a line may hold and what an answer holds.
"""
_DOCTOR_ESTIMATE: Final = """\
The hours are an estimate from short measurements on one core: every simulation is taken to cost an
evaluation, which the cache and proven positions undercut, and the judge's matches cost nothing,
which is too little.
"""
_REPORT_EXAMPLES: Final = """\
examples:
  %(prog)s --run runs/8x8-1                      # writes runs/8x8-1/report.html
  %(prog)s --run runs/8x8-1 --games 0            # curves alone, without searching any game
  %(prog)s --run runs/own runs/paper --out both.html   # curves of two runs in the same plots

The run may still be going on: nothing in its folder is locked or changed, and what it has not measured yet is left
out. The page needs nothing beside it; the plots lie as PNG files in a folder named after the page, such as report/.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command of `gobang`; its module has `run(arguments)`, which gives the exit status."""

    module: str
    meaning: str
    arguments: Callable[[argparse.ArgumentParser], None]
    epilog: str = ""
    extra: str = ""  # of the distribution, without which a package may be missing

    def set_up(self, parser: argparse.ArgumentParser) -> None:
        """Give a parser the arguments and the help of the command."""
        parser.description = f"{self.meaning[0].upper()}{self.meaning[1:]}."
        parser.epilog = self.epilog
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.allow_abbrev = False
        self.arguments(parser)


def run_as_module(name: str, run: Run, argv: Sequence[str] | None = None) -> int:
    """The `main` of a command's module."""
    parser = argparse.ArgumentParser(prog=f"python -m {COMMANDS[name].module.removesuffix('.__main__')}")
    return conduct(name, parser, lambda: run(parser.parse_args(argv)))


def conduct(name: str, parser: argparse.ArgumentParser, run: Callable[[], int]) -> int:
    """Set a command's parser up and run it; a mistake in what was asked, or a missing package, is one line."""
    try:
        check_ours(COMMANDS[name].module)
        COMMANDS[name].set_up(parser)
        return run()
    except GobangError as error:
        problem = error
    except ModuleNotFoundError as error:
        missing = named(error, COMMANDS[name].extra)
        if missing is None:
            raise
        problem = missing
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    sys.stderr.write(f"{parser.prog}: error: {problem}\n")
    raise SystemExit(EXIT_INVALID)


def _play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--player",
        metavar="SPEC",
        help=f"whom to play (a trained player of this or the nearest board, else {FALLBACK})",
    )
    add_game_options(parser)
    parser.add_argument("--colour", choices=[*COLOURS, "random"], default="black", help="yours (%(default)s)")
    parser.add_argument("--seed", type=int, help="of the player and of a random colour")


def _train(parser: argparse.ArgumentParser) -> None:
    importlib.import_module("learner.launch").add_arguments(parser)  # which knows the presets


def _web(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one (%(default)s)")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="where to listen (%(default)s, this machine alone; elsewhere a token is asked)",
    )
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a proxy's name for this page; asks a token"
    )
    watched = parser.add_mutually_exclusive_group()
    watched.add_argument("--run", type=Path, metavar="DIR", help="folder of a run to watch, going on or finished")
    watched.add_argument(
        "--address", metavar="HOST:PORT", help="Ray cluster of a run to watch, where its folder is not"
    )
    parser.add_argument("--insecure", action="store_true", help="watch even on a cluster that asks for no token")
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="open no browser")


def _pull(parser: argparse.ArgumentParser) -> None:
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--run", type=Path, metavar="DIR", help="folder of the run")
    place.add_argument("--address", metavar="HOST:PORT", help="address of the run's Ray cluster")
    parser.add_argument("--insecure", action="store_true", help="ask even a cluster that asks for no token")
    parser.add_argument("--which", type=_which, default=LATEST, metavar="latest|best|N", help="(%(default)s)")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to put the weights")


def _which(text: str) -> str:
    number = read_whole(text, 0)
    if number is not None:
        return str(number)
    if text in (LATEST, BEST):
        return text
    raise argparse.ArgumentTypeError(f"{text!r}: latest, best or a version number")


def _doctor(parser: argparse.ArgumentParser) -> None:
    """It takes no arguments."""


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run",
        type=Path,
        nargs="+",
        action="extend",
        required=True,
        metavar="DIR",
        help="folder of a run, finished or going on; several are compared",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the page (DIR/report.html; of several runs ./comparison.html)"
    )
    parser.add_argument("--games", type=int, default=4, metavar="N", help="of a single run, to annotate (%(default)s)")


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--a", required=True, metavar="SPEC", help="a player, such as net:builtin-8x8")
    parser.add_argument("--b", required=True, metavar="SPEC", help="its opponent, such as rollout:sims=2000")
    add_game_options(parser)
    parser.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="an even number (200); with three players a multiple of 6, with four of 8",
    )
    _add_openings(parser, kind=RANDOM, plies=2)
    _add_playing(parser)
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="write the games to a file, as SGF if it ends in .sgf, else a line of JSON each",
    )


def _tournament(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "contestants", nargs="+", metavar="SPEC", help="players, such as net:builtin-8x8 or alphabeta:ms=100"
    )
    add_game_options(parser)
    parser.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="of each pair, an even number (40); with three players a multiple of 6",
    )
    parser.add_argument("--gauntlet", action="store_true", help="the first against all others, who do not meet")
    _add_openings(parser, kind=RANDOM, plies=2)
    _add_playing(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("tournament"),
        metavar="DIR",
        help="folder of the games and the page; where it holds games already, they are not played again (%(default)s)",
    )


def _add_playing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=1, help="of the openings and the players (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes; the games do not depend on it (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON in the last line")


def _add_openings(parser: argparse.ArgumentParser, *, kind: str, plies: int) -> None:
    parser.add_argument(
        "--openings",
        default=kind,
        metavar=f"{RANDOM}|{BALANCED}|FILE",
        help="after which moves games begin: random ones, or those of the package or of a file (%(default)s)",
    )
    parser.add_argument("--opening-plies", type=int, default=plies, help="how many random moves (%(default)s)")


def _versions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="folder of the run")
    parser.add_argument(
        "--versions",
        type=int,
        nargs="+",
        metavar="N",
        help="who plays besides the best and the newest (three that lie evenly between)",
    )
    parser.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="of each pair, an even number (200); with three players a multiple of 6",
    )
    parser.add_argument("--options", default="sims=64,search=gumbel", help="of every player (%(default)s)")
    _add_openings(parser, kind=BALANCED, plies=6)
    _add_playing(parser)


def _exact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--player", metavar="SPEC", help="whom to examine, such as net:FILE,sims=64,solver=off")
    add_game_options(parser, size=5, k=4, reason="small enough to be solved")
    parser.add_argument("--openings", action="store_true", help="play won games against perfect play instead")
    parser.add_argument(
        "--in-play", type=int, metavar="GAMES", help="examine own turns against exact, and random, instead"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON in the last line")
    parser.add_argument("--seed", type=int, default=1, help="of the players, and of --draw (%(default)s)")
    parser.add_argument("--draw", type=Path, metavar="FILE", help="draw and solve positions, and write them")
    parser.add_argument("--positions", type=int, default=1000, help="how many --draw draws (%(default)s)")


def _analyse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--player",
        metavar="SPEC",
        help=f"who searches: net, uniform or rollout (a trained player of this or the nearest board, else {FALLBACK})",
    )
    parser.add_argument("--at-once", type=count_of, default=4, metavar="N", help="positions side by side (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the search (%(default)s)")


def _openings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to put the openings")
    add_game_options(parser)
    parser.add_argument("--count", type=int, default=200, help="how many (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (%(default)s)")


def _gomocup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--player",
        metavar="SPEC",
        help=f"who plays, within the manager's limits (a trained player of this or the nearest board, else {FALLBACK})",
    )
    add_rule_options(parser)
    parser.add_argument("--ponder", action="store_true", help="think in the opponent's time too")
    parser.add_argument("--seed", type=int, default=1, help="of the player's random choices (%(default)s)")


def _package(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--player", metavar="SPEC", help="who plays (the trained player of the board that the manager wants)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to put the folder pbrain-...")


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", metavar="FILE", type=Path, help="a .safetensors file of weights")
    out = parser.add_mutually_exclusive_group(required=True)
    out.add_argument("--onnx", metavar="OUT", type=Path, help="the ONNX file to write")
    out.add_argument("--half", metavar="OUT", type=Path, help="the weights in half precision, half as large a file")


def _warm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--player", metavar="SPEC", help="compile what this player needs (what any needs)")
    add_game_options(parser)
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (one for each core)")


def _timing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--player", required=True, metavar="SPEC", help="who plays as the engine")
    add_game_options(parser)
    parser.add_argument("--ms", type=int, default=100, help="time for a turn (%(default)s)")
    parser.add_argument("--games", type=int, default=200, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random opponent (%(default)s)")


COMMANDS: Final[Mapping[str, Command]] = {
    "play": Command(
        module="gobang.terminal",
        meaning="play against the computer in the terminal",
        arguments=_play,
        epilog=_PLAYERS,
    ),
    "web": Command(
        module="learner.web",
        meaning="play, analyse, replay and watch a run in the browser",
        arguments=_web,
        extra="web",
    ),
    "train": Command(
        module="learner.launch",
        meaning="learn a game from self-play, from nothing but its rules",
        arguments=_train,
        epilog=_TRAIN_EXAMPLES,
        extra="train",
    ),
    "pull": Command(
        module="learner.pull",
        meaning="fetch weights from a run, while it goes on or afterwards",
        arguments=_pull,
        extra="actor",
    ),
    "doctor": Command(
        module="learner.doctor",
        meaning="say what this machine offers, and how long each preset takes on it",
        arguments=_doctor,
        epilog=_DOCTOR_ESTIMATE,
        extra="train",
    ),
    "report": Command(
        module="evaluator.report.__main__",
        meaning="show how a run learns: curves, win rates and annotated games on one page",
        arguments=_report,
        epilog=_REPORT_EXAMPLES,
        extra="report",
    ),
    "match": Command(
        module="evaluator.match",
        meaning="let two players play many games and compare them",
        arguments=_match,
        epilog=trained_help(),
    ),
    "tournament": Command(
        module="evaluator.tournament",
        meaning="let many players meet, and say how strong each is",
        arguments=_tournament,
        epilog=trained_help(),
    ),
    "exact": Command(
        module="evaluator.exact",
        meaning="compare a player with perfect play, on boards that are small enough to be solved",
        arguments=_exact,
        epilog=_EXACT_EXAMPLES,
    ),
    "analyse": Command(
        module="gobang.analysis.command",
        meaning="search positions that come as JSON lines, and answer with moves, chances and lines",
        arguments=_analyse,
        epilog=_ANALYSE_EXAMPLES,
    ),
    "versions": Command(
        module="evaluator.versions",
        meaning="let versions of a run play each other",
        arguments=_versions,
    ),
    "openings": Command(
        module="evaluator.openings",
        meaning="find openings in which neither side is better",
        arguments=_openings,
    ),
    "gomocup": Command(
        module="gobang.gomocup.__main__",
        meaning="be an engine for a Gomocup manager such as Piskvork, on standard input and output",
        arguments=_gomocup,
        epilog=_PLAYERS,
    ),
    "package": Command(
        module="gobang.gomocup.package",
        meaning="make a folder that Gomocup managers start as an engine",
        arguments=_package,
    ),
    "timing": Command(
        module="gobang.gomocup.timing",
        meaning="measure whether the engine keeps its time",
        arguments=_timing,
    ),
    "export": Command(
        module="gobang.export", meaning="write a network as ONNX, or half as large", arguments=_export, extra="onnx"
    ),
    "warm": Command(
        module="gobang.warm",
        meaning="compile kernels ahead, so that no other command has to",
        arguments=_warm,
    ),
    "bench": Command(
        module="gobang.bench.__main__",
        meaning="measure the speed of this machine",
        arguments=add_benchmarks,
        extra="train",
    ),
}
