"""Versions of a run against each other: gobang versions --run runs/8x8-1

Each pair plays the same openings, every one twice with the colours swapped.  The best stands at 0 Elo.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Final

from evaluator.matches.summary import Summary, as_dict, elo_text, points_of_a, summarise
from evaluator.matches.workers import game_sets, play_sets
from evaluator.statistics.bradley_terry import CrossTable, Rating, rate
from gobang.command_line import EXIT_INTERRUPTED
from gobang.commands import run_as_module
from gobang.errors import InvalidConfig
from gobang.match import PlayedGame, paired
from gobang.network.checkpoint import load_checkpoint
from gobang.openings import Opening, chosen_openings
from gobang.players.spec import make_player, parse
from gobang.progress import Progress
from gobang.run_folder import RunFolder, weights_path, weights_versions
from gobang.types import Variant
from gobang.versions import version_name

_BETWEEN: Final = 3  # versions that play besides the best and the newest, where none are named

Pairing = tuple[int, int]  # versions


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundRobin:
    """Versions that are to meet, e.g. `RoundRobin(best=41, versions=(20, 41, 86), ...)`."""

    folder: RunFolder
    variant: Variant
    best: int
    versions: tuple[int, ...]  # in rising order
    openings: tuple[Opening, ...]
    options: str  # of every player, e.g. "sims=64,search=gumbel"
    seed: int

    def play(self, pairing: Pairing, jobs: int, progress: Progress, played: int) -> Mapping[int, PlayedGame]:
        """All games of two versions, by number; `played` are those that were over before."""
        texts = [f"net:{weights_path(self.folder, version)},{self.options}" for version in pairing]
        makers = [partial(make_player, parse(text)) for text in texts]
        games: dict[int, PlayedGame] = {}

        def on_result(number: int, game: PlayedGame) -> None:
            games[number] = game
            progress.update(played + len(games))

        play_sets(game_sets(self.variant, makers, paired(list(self.openings)), self.seed), jobs, on_result)
        return games


def run(arguments: argparse.Namespace) -> int:
    """Let the versions play, and print what came of it; returns the exit code."""
    contest = prepare(arguments)
    pairings = list(combinations(contest.versions, 2))
    table, summaries = CrossTable(), {}
    progress = Progress(arguments.games * len(pairings), sys.stderr)
    try:
        for number, pairing in enumerate(pairings):
            games = contest.play(pairing, arguments.jobs, progress, number * arguments.games)
            summaries[pairing] = summarise(games)
            for game in games.values():
                table.add(version_name(pairing[0]), version_name(pairing[1]), points_of_a(game))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    finally:
        progress.close()
    ratings = rate(table, {version_name(contest.best): 0.0})
    print(_as_text(contest, ratings, summaries))
    if arguments.json:
        print(json.dumps(_as_json(contest, ratings, summaries)))
    return 0


def prepare(arguments: argparse.Namespace) -> RoundRobin:
    """Check the arguments, and choose versions and openings; raises GobangError."""
    folder = RunFolder(arguments.run)
    if arguments.games < 2 or arguments.games % 2:
        raise InvalidConfig(f"--games {arguments.games}: an even number, since every opening is played twice")
    try:
        best = folder.read_best()
    except (OSError, ValueError) as error:
        raise InvalidConfig(f"{arguments.run} has no best version: {error}") from error
    versions = _chosen(arguments.versions, weights_versions(folder), best)
    variant = load_checkpoint(weights_path(folder, best)).variant
    openings = chosen_openings(
        variant, arguments.openings, arguments.opening_plies, arguments.games // 2, arguments.seed
    )
    return RoundRobin(
        folder=folder,
        variant=variant,
        best=best,
        versions=versions,
        openings=tuple(openings),
        options=arguments.options,
        seed=arguments.seed,
    )


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


def _as_text(contest: RoundRobin, ratings: Sequence[Rating], summaries: Mapping[Pairing, Summary]) -> str:
    names = [version_name(version) for version in contest.versions]
    lines = [f"{'':8}{'Elo':>6}{'':9}" + "".join(f"{name:>8}" for name in names)]
    for version, name in zip(contest.versions, names, strict=True):
        rating = next(each for each in ratings if each.name == name)
        scores = "".join(f"{_score(summaries, version, other):>8}" for other in contest.versions)
        lines.append(f"{name:8}{rating.elo:+6.0f} +- {rating.error:<5.0f}{scores}")
    game = f"{contest.variant}, {len(contest.openings) * 2} games a pair, {contest.options}"
    newest = contest.versions[-1]
    if newest == contest.best:
        return "\n".join([game, "", *lines, "", "the newest version is the best"])
    direct = summaries[contest.best, newest]
    low, high = direct.elo_interval
    lines += ["", f"best against newest: Elo {elo_text(direct.total.score, low, high)} in their own games"]
    return "\n".join([game, "", *lines])


def _score(summaries: Mapping[Pairing, Summary], version: int, other: int) -> str:
    if version == other:
        return "-"
    if (version, other) in summaries:
        return f"{summaries[version, other].total.score:.3f}"
    return f"{1 - summaries[other, version].total.score:.3f}"


def _as_json(contest: RoundRobin, ratings: Sequence[Rating], summaries: Mapping[Pairing, Summary]) -> dict[str, object]:
    return {
        "best": contest.best,
        "newest": contest.versions[-1],
        "ratings": [
            {"name": each.name, "elo": round(each.elo, 1), "elo_error": round(each.error, 1), "games": each.games}
            for each in ratings
        ],
        "matches": [
            {"a": version_name(a), "b": version_name(b), **as_dict(summary)} for (a, b), summary in summaries.items()
        ],
    }


main: Final = partial(run_as_module, "versions", run)

if __name__ == "__main__":
    sys.exit(main())
