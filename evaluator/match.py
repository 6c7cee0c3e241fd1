"""A match between two players: gobang match --a rollout:sims=2000 --b random --size 8

Each opening is played twice, with the colours swapped; in games of more than two with each of the two alone in each
seat.  Identical games count once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from dataclasses import dataclass
from functools import partial
from typing import Final, TextIO

from evaluator.matches.seats import seats_as_dict, seats_as_text, summarise_seats
from evaluator.matches.summary import as_dict, as_text, record_line, record_sgf, summarise
from evaluator.matches.workers import GameSet, game_sets, play_sets
from gobang.command_line import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_INVALID, variant_of
from gobang.commands import run_as_module
from gobang.compiling import with_notice
from gobang.errors import GobangError, InvalidConfig
from gobang.match import PlayedGame, check_games, openings_for, paired, whole_rounds
from gobang.openings import chosen_openings
from gobang.players.spec import make_player, parse
from gobang.progress import Progress
from gobang.types import RANDOM, Variant

GAMES: Final = 200  # or as many below as make whole rounds
SGF: Final = ".sgf"


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A match that is ready to be played; `names` are the texts of a and b."""

    names: tuple[str, str]
    variant: Variant
    sets: tuple[GameSet, ...]

    @property
    def games(self) -> int:
        """Number of games to play."""
        return sum(len(games.fixtures) for games in self.sets)


def run(arguments: argparse.Namespace) -> int:
    """Play the match that the arguments describe; returns the exit code."""
    with with_notice(sys.stderr, beside_a_bar=True):
        return _prepare_and_run(arguments)


def _prepare_and_run(arguments: argparse.Namespace) -> int:
    match = prepare(arguments)
    try:
        record = arguments.record.open("w", encoding="utf8") if arguments.record else None
    except OSError as error:
        raise InvalidConfig(f"--record: {error}") from error
    with record or contextlib.nullcontext():
        return _run(match, arguments, record)


def prepare(arguments: argparse.Namespace) -> Match:
    """Check the arguments and draw the openings; raises GobangError."""
    specs = [parse(text) for text in (arguments.a, arguments.b)]
    variant = variant_of(arguments)
    games = whole_rounds(GAMES, variant.players) if arguments.games is None else arguments.games
    check_games(games, variant.players)
    if variant.players > 2 and arguments.record and arguments.record.suffix == SGF:
        raise InvalidConfig(f"--record {arguments.record}: SGF has two colours; any other name gives lines of JSON")
    if arguments.jobs < 1:
        raise InvalidConfig(f"--jobs {arguments.jobs}: at least 1")
    if arguments.seed < 0:
        raise InvalidConfig(f"--seed {arguments.seed}: 0 or more")
    count = openings_for(games, variant.players)
    openings = chosen_openings(variant, arguments.openings, arguments.opening_plies, count, arguments.seed)
    factories = [partial(make_player, spec) for spec in specs]
    sets = game_sets(variant, factories, paired(openings, variant.players), arguments.seed)
    return Match(names=(str(specs[0]), str(specs[1])), variant=variant, sets=tuple(sets))


def _run(match: Match, arguments: argparse.Namespace, record: TextIO | None) -> int:
    """Play, then report all that was played, whatever ended it."""
    games: dict[int, PlayedGame] = {}
    code, stopped = 0, ""
    try:
        _play(match, arguments.jobs, games)
    except KeyboardInterrupt:
        code, stopped = EXIT_INTERRUPTED, "interrupted"
    except GobangError as error:
        code, stopped = EXIT_FAILED if games else EXIT_INVALID, f"error: {error}"
    if stopped:
        print(f"{stopped}; {len(games)} of {match.games} games were played", file=sys.stderr)
    if games or code == EXIT_INTERRUPTED:
        _report(match, arguments, games)
    if record is not None:
        line = record_sgf if arguments.record.suffix == SGF else record_line
        record.writelines(f"{line(number, games[number], match.names)}\n" for number in sorted(games))
    return code


def _play(match: Match, jobs: int, games: dict[int, PlayedGame]) -> None:
    progress = Progress(match.games, sys.stderr)
    points = 0.0

    def on_result(number: int, game: PlayedGame) -> None:
        nonlocal points
        games[number] = game
        points += game.points_of(0)
        progress.update(len(games), points / len(games))

    try:
        play_sets(match.sets, jobs, on_result)
    finally:
        progress.close()


def _report(match: Match, arguments: argparse.Namespace, games: dict[int, PlayedGame]) -> None:
    text, fields = _summary(match.variant, games)
    print(f"a           {match.names[0]}\nb           {match.names[1]}")
    print(f"game        {match.variant}; {_openings_text(arguments)}, seed {arguments.seed}\n")
    print(text)
    if arguments.json:
        print(json.dumps({"a": match.names[0], "b": match.names[1], **fields}))


def _summary(variant: Variant, games: dict[int, PlayedGame]) -> tuple[str, dict[str, object]]:
    """For people and for programs."""
    if variant.players == 2:
        of_two = summarise(games)
        return as_text(of_two), as_dict(of_two)
    of_more = summarise_seats(games, variant.players)
    return seats_as_text(of_more), seats_as_dict(of_more)


def _openings_text(arguments: argparse.Namespace) -> str:
    """What the games began with, for people."""
    if arguments.openings == RANDOM:
        return f"openings of {arguments.opening_plies} plies"
    return f"openings: {arguments.openings}"


main: Final = partial(run_as_module, "match", run)

if __name__ == "__main__":
    sys.exit(main())
