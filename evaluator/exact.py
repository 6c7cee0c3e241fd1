"""A player against the truth: python -m evaluator.exact --player net:best.safetensors,sims=64,solver=off --size 5 --k 4

On boards that are small enough the value of every position is known.  A move keeps the value if it
does not turn a won position into a draw or a loss, or a drawn one into a loss.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

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
from evaluator.truth.solved import POSITIONS, SEED, draw_solved, format_solved, load_solved
from gobang.command_line import EXIT_FAILED, EXIT_INTERRUPTED, board_size
from gobang.errors import GobangError, InvalidConfig
from gobang.match import PlayedGame, play_games
from gobang.players.player import Player
from gobang.players.spec import make_player, parse
from gobang.progress import Progress
from gobang.types import Variant

_EPILOG: Final = """\
examples:
  python -m evaluator.exact --player net:best.safetensors,sims=64,solver=off --size 5 --k 4
      in how many of 1,000 solved positions, all with a choice that matters, its move keeps the value;
      beside it stands what a random mover would reach
  python -m evaluator.exact --player net:best.safetensors,sims=1,solver=off --size 6 --k 4
      the same for the network's policy alone: one simulation visits the likeliest move
  python -m evaluator.exact --player net:best.safetensors,sims=64 --size 6 --k 4 --openings
      a game after each first move against perfect play, on the side that should win; on 6x6
      these are the 16 inner first moves as black and the 20 at the rim as white
  python -m evaluator.exact --draw positions.txt --size 5 --k 4 --seed 1
      draw and solve 1,000 positions, as was done for those that come with the package
      (evaluator/truth/solved.py says how they are drawn)

Leave solver=off away to let the player use its solver of threats, which hides what a network knows.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the arguments ask for; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        return _run(arguments)
    except GobangError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except OSError as error:
        print(f"evaluator.exact: {error}", file=sys.stderr)
        return EXIT_FAILED


def _run(arguments: argparse.Namespace) -> int:
    height, width = arguments.size
    variant = Variant(height=height, width=width, k=arguments.k)
    if arguments.seed < 0:
        raise InvalidConfig(f"--seed {arguments.seed}: 0 or more")
    if arguments.draw:
        _draw(variant, arguments)
        return 0
    if not arguments.player:
        raise InvalidConfig("say whom to examine with --player, or where to write new positions with --draw")
    examine = _play_openings if arguments.openings else _ask_positions
    with contextlib.closing(make_player(parse(arguments.player), variant, arguments.seed)) as player:
        print(f"player      {arguments.player}")
        fields = examine(variant, player, arguments.seed)
    if arguments.json:
        print(json.dumps({"player": arguments.player, "game": str(variant), **fields}))
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluator.exact",
        description="Compare a player with perfect play, on boards that are small enough to be solved.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--player", metavar="SPEC", help="whom to examine, such as net:FILE,sims=64,solver=off")
    parser.add_argument("--size", type=board_size, default=(5, 5), help="5, 6, or HEIGHTxWIDTH such as 5x6 (5)")
    parser.add_argument("--k", type=int, default=4, help="how many in a row win (4)")
    parser.add_argument("--openings", action="store_true", help="play won games against perfect play instead")
    parser.add_argument("--json", action="store_true", help="print the result as JSON in the last line")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the players, and of --draw ({SEED})")
    parser.add_argument("--draw", type=Path, metavar="FILE", help="draw and solve positions, and write them")
    parser.add_argument("--positions", type=int, default=POSITIONS, help=f"how many --draw draws ({POSITIONS})")
    return parser


if __name__ == "__main__":
    sys.exit(main())
