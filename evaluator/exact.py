"""A player against the truth: gobang exact --player net:best.safetensors,sims=64,solver=off --size 5 --k 4

On boards that are small enough the value of every position is known.  A move keeps the value if it
does not turn a won position into a draw or a loss, or a drawn one into a loss.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from evaluator.truth.in_play import fixtures_in_play, met_in_play
from evaluator.truth.keeping import (
    count_wins,
    keeps_value,
    shares,
    shares_as_dict,
    shares_as_text,
    wins_as_dict,
    wins_as_text,
    won_openings,
)
from evaluator.truth.solved import draw_solved, format_solved, load_solved
from gobang.command_line import EXIT_FAILED, EXIT_INTERRUPTED, check_two, variant_of
from gobang.commands import run_as_module
from gobang.compiling import with_notice
from gobang.errors import InvalidConfig
from gobang.match import Fixture, PlayedGame, play_games
from gobang.players.player import Player
from gobang.players.spec import make_player, parse
from gobang.progress import Progress
from gobang.search.proof.exact import NO_ONE_VALUE
from gobang.types import Variant

OPPONENTS: Final = ("exact", "random")  # of games in play


def run(arguments: argparse.Namespace) -> int:
    """Do what the arguments ask for; returns the exit code."""
    try:
        with with_notice(sys.stderr, beside_a_bar=True):
            return _run(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except OSError as error:
        print(f"gobang exact: {error}", file=sys.stderr)
        return EXIT_FAILED


def _run(arguments: argparse.Namespace) -> int:
    check_two(arguments, NO_ONE_VALUE)
    variant = variant_of(arguments)
    if arguments.seed < 0:
        raise InvalidConfig(f"--seed {arguments.seed}: 0 or more")
    if arguments.draw:
        _draw(variant, arguments)
        return 0
    if not arguments.player:
        raise InvalidConfig("say whom to examine with --player, or where to write new positions with --draw")
    if arguments.in_play is not None and arguments.in_play < 1:
        raise InvalidConfig(f"--in-play {arguments.in_play}: at least 1 game")
    examine = _ask_positions
    if arguments.openings:
        examine = _play_openings
    elif arguments.in_play:
        examine = partial(_judge_play, arguments.in_play)
    spec = parse(arguments.player)
    with contextlib.closing(make_player(spec, variant, arguments.seed)) as player:
        print(f"player      {spec}")
        fields = examine(variant, player, arguments.seed)
    if arguments.json:
        print(json.dumps({"player": str(spec), "game": str(variant), **fields}))
    return 0


def _ask_positions(variant: Variant, player: Player, seed: int) -> dict[str, object]:
    positions = load_solved(variant)
    with _progress(len(positions), "positions") as update:
        made = shares(positions, keeps_value(player, variant, positions, update))
    print(f"game        {variant}\n\n{shares_as_text(made)}")
    return shares_as_dict(made)


def _play_openings(variant: Variant, player: Player, seed: int) -> dict[str, object]:
    fixtures = won_openings(variant)
    games: list[PlayedGame] = []
    won = 0
    with _progress(len(fixtures), "games") as update, contextlib.closing(_perfect(variant, seed)) as perfect:

        def on_result(number: int, game: PlayedGame) -> None:
            nonlocal won
            games.append(game)
            won += game.record.outcome == game.fixture.seats.index(0)
            update(len(games), won / len(games))

        counted = count_wins(play_games(variant, [player, perfect], fixtures, on_result))
    print(f"game        {variant}; a game after each first move that decides it, against perfect play\n")
    print(wins_as_text(counted))
    return wins_as_dict(counted)


def _judge_play(count: int, variant: Variant, player: Player, seed: int) -> dict[str, object]:
    games: list[PlayedGame] = []
    fixtures = fixtures_in_play(variant, count, seed)
    for name in OPPONENTS:
        with contextlib.closing(make_player(parse(name), variant, seed)) as opponent:
            games += _played(variant, player, opponent, name, fixtures)
    with _progress(len(games), "games judged") as update:
        met, kept = met_in_play(variant, games, update)
    made = shares(met, kept)
    print(f"game        {variant}; own turns of {count} games against each of {' and '.join(OPPONENTS)}\n")
    print(shares_as_text(made))
    return shares_as_dict(made)


def _played(
    variant: Variant, player: Player, opponent: Player, name: str, fixtures: Sequence[Fixture]
) -> list[PlayedGame]:
    done = 0
    with _progress(len(fixtures), f"games against {name}") as update:

        def on_result(number: int, game: PlayedGame) -> None:
            nonlocal done
            done += 1
            update(done)

        return play_games(variant, [player, opponent], fixtures, on_result)


def _perfect(variant: Variant, seed: int) -> Player:
    return make_player(parse("exact"), variant, seed)


def _draw(variant: Variant, arguments: argparse.Namespace) -> None:
    if arguments.positions < 1:
        raise InvalidConfig(f"--positions {arguments.positions}: at least 1")
    with _progress(arguments.positions, "positions") as update:
        positions = draw_solved(variant, arguments.positions, arguments.seed, update)
    arguments.draw.write_text(format_solved(variant, positions, arguments.seed), encoding="utf8")
    by_chance = sum(position.random_share for position in positions) / len(positions)
    print(f"{len(positions):,} positions in {arguments.draw}; a random mover keeps the value in {by_chance:.1%}")


@contextlib.contextmanager
def _progress(total: int, noun: str) -> Iterator[Callable[..., None]]:
    progress = Progress(total, sys.stderr, unit=noun)
    try:
        yield progress.update
    finally:
        progress.close()


main: Final = partial(run_as_module, "exact", run)

if __name__ == "__main__":
    sys.exit(main())
