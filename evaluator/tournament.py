"""Many players against each other: gobang tournament pattern alphabeta:ms=100 net:runs/8x8-1@best --size 8

Each game is kept in a folder as soon as it is over, so the same command goes on where it was broken off.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import Final

from evaluator.tournaments.folder import TournamentFolder
from evaluator.tournaments.page import tournament_page
from evaluator.tournaments.plan import Plan, gauntlet, round_robin
from evaluator.tournaments.playing import play
from evaluator.tournaments.standings import Result, as_json, as_text, standings
from gobang.command_line import EXIT_INTERRUPTED, variant_of
from gobang.commands import run_as_module
from gobang.compiling import with_notice
from gobang.errors import InvalidConfig
from gobang.match import check_games, openings_for, whole_rounds
from gobang.openings import chosen_openings

GAMES: Final = 40  # of each pair, or as many below as make whole rounds
PAGE: Final = "tournament.html"


def run(arguments: argparse.Namespace) -> int:
    """Play what is not played yet, and show what came of all; returns the exit code."""
    plan = prepare(arguments)
    with closing(TournamentFolder(arguments.out, plan)) as folder, with_notice(sys.stderr, beside_a_bar=True):
        results = dict(folder.results())
        if results:
            print(f"{len(results)} of {plan.games} games were played before", file=sys.stderr)
        code = 0
        try:
            play(plan, folder, results, arguments.jobs)
        except KeyboardInterrupt:
            print("interrupted; the same command goes on from here", file=sys.stderr)
            code = EXIT_INTERRUPTED
        if results:
            _report(plan, folder, results, arguments)
    return code


def prepare(arguments: argparse.Namespace) -> Plan:
    """Check the arguments, and draw the openings; raises GobangError."""
    variant = variant_of(arguments)
    games = whole_rounds(GAMES, variant.players) if arguments.games is None else arguments.games
    check_games(games, variant.players)
    if arguments.jobs < 1:
        raise InvalidConfig(f"--jobs {arguments.jobs}: at least 1")
    players = tuple(arguments.contestants)
    count = openings_for(games, variant.players)
    openings = chosen_openings(variant, arguments.openings, arguments.opening_plies, count, arguments.seed)
    pairings = gauntlet(len(players)) if arguments.gauntlet else round_robin(len(players))
    return Plan(variant=variant, players=players, pairings=pairings, openings=tuple(openings), seed=arguments.seed)


def _report(plan: Plan, folder: TournamentFolder, results: Mapping[int, Result], arguments: argparse.Namespace) -> None:
    table = standings(plan.players, plan.variant, results.values())
    page = folder.write(PAGE, tournament_page(plan, table, _command(plan, arguments)))
    print(f"{plan.variant}, {len(results)} of {plan.games} games\n\n{as_text(table)}\n\npage: {page}")
    if arguments.json:
        print(json.dumps(as_json(table)))


def _command(plan: Plan, arguments: argparse.Namespace) -> str:
    """What plays the same tournament again."""
    variant = plan.variant
    words = [
        "gobang",
        "tournament",
        *plan.players,
        "--size",
        f"{variant.height}x{variant.width}",
        "--k",
        str(variant.k),
    ]
    words += ["--rule", variant.rule, "--games", str(plan.games_each), "--seed", str(plan.seed)]
    words += ["--players", str(variant.players)] if variant.players > 2 else []
    words += ["--openings", arguments.openings, "--opening-plies", str(arguments.opening_plies)]
    return shlex.join([*words, *(["--gauntlet"] if arguments.gauntlet else []), "--out", str(arguments.out)])


main: Final = partial(run_as_module, "tournament", run)

if __name__ == "__main__":
    sys.exit(main())
