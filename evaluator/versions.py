"""Versions of a run against each other: gobang versions --run runs/8x8-1

Each pair plays the same openings, every one twice with the colours swapped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from evaluator.matches.summary import elo_text
from evaluator.matches.workers import play_sets
from evaluator.statistics.intervals import elo
from evaluator.tournaments.plan import Plan, round_robin
from evaluator.tournaments.standings import Result, Standings, as_json, as_text, standings
from gobang.command_line import EXIT_INTERRUPTED
from gobang.commands import run_as_module
from gobang.errors import InvalidConfig
from gobang.match import PlayedGame, check_games, openings_for, whole_rounds
from gobang.network.checkpoint import load_checkpoint
from gobang.openings import chosen_openings
from gobang.progress import Progress
from gobang.run_folder import RunFolder, weights_path, weights_versions
from gobang.types import BALANCED, RANDOM
from gobang.versions import version_name

GAMES: Final = 200  # of each pair, or as many below as make whole rounds
_BETWEEN: Final = 3  # versions that play besides the best and the newest, where none are named


@dataclass(frozen=True, kw_only=True, slots=True)
class Versions:
    """Versions of a run that are to meet, e.g. `Versions(best=41, numbers=(20, 41, 86), plan=...)`."""

    best: int
    numbers: tuple[int, ...]  # in rising order
    plan: Plan


def run(arguments: argparse.Namespace) -> int:
    """Let the versions play, and print what came of it; returns the exit code."""
    versions = prepare(arguments)
    progress = Progress(versions.plan.games, sys.stderr)
    results: dict[int, Result] = {}

    def on_result(number: int, game: PlayedGame) -> None:
        results[number] = versions.plan.result(number, game.record.outcome)
        progress.update(len(results))

    try:
        play_sets(versions.plan.sets([]), arguments.jobs, on_result)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    finally:
        progress.close()
    names = tuple(version_name(number) for number in versions.numbers)
    table = standings(names, versions.plan.variant, results.values())
    each = f"{versions.plan.games_each} games a pair"
    print(f"{versions.plan.variant}, {each}, {arguments.options}\n\n{as_text(table)}\n")
    print(_best_against_newest(versions, table))
    if arguments.json:
        print(json.dumps({"best": versions.best, "newest": versions.numbers[-1], **as_json(table)}))
    return 0


def prepare(arguments: argparse.Namespace) -> Versions:
    """Check the arguments, and choose versions and openings; raises GobangError."""
    folder = RunFolder(arguments.run)
    try:
        best = folder.read_best()
    except (OSError, ValueError) as error:
        raise InvalidConfig(f"{arguments.run} has no best version: {error}") from error
    numbers = _chosen(arguments.versions, weights_versions(folder), best)
    variant = load_checkpoint(weights_path(folder, best)).variant
    games = whole_rounds(GAMES, variant.players) if arguments.games is None else arguments.games
    check_games(games, variant.players)
    is_known = arguments.openings != BALANCED or variant.players == 2  # what is balanced, is not among more
    kind = arguments.openings if is_known else RANDOM
    count = openings_for(games, variant.players)
    openings = chosen_openings(variant, kind, arguments.opening_plies, count, arguments.seed)
    players = tuple(f"net:{weights_path(folder, number)},{arguments.options}" for number in numbers)
    pairings = round_robin(len(players))
    plan = Plan(variant=variant, players=players, pairings=pairings, openings=tuple(openings), seed=arguments.seed)
    return Versions(best=best, numbers=numbers, plan=plan)


def _chosen(named: Sequence[int] | None, kept: Sequence[int], best: int) -> tuple[int, ...]:
    """The best, the newest, and those that are named or lie evenly between the oldest and the newest."""
    missing = sorted({best, *(named or ())} - set(kept))
    if missing:
        raise InvalidConfig(
            f"versions {', '.join(map(str, missing))} are not kept; there are {', '.join(map(str, kept))}"
        )
    steps = [round(index * (len(kept) - 1) / (_BETWEEN + 1)) for index in range(1, _BETWEEN + 1)]
    others = [kept[step] for step in steps] if named is None else named
    chosen = tuple(sorted({best, kept[-1], *others}))
    if len(chosen) < 2:
        raise InvalidConfig(f"version {best} is the best and the newest, and no other is named")
    return chosen


def _best_against_newest(versions: Versions, table: Standings) -> str:
    best, newest = versions.numbers.index(versions.best), len(versions.numbers) - 1
    if best == newest:
        return "the newest version is the best"
    met, (low, high) = table.tally(best, [newest]), table.interval(best, newest)
    return f"best against newest: Elo {elo_text(met.score, elo(low), elo(high))} in their own games"


main: Final = partial(run_as_module, "versions", run)

if __name__ == "__main__":
    sys.exit(main())
