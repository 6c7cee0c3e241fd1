"""The games of a tournament that are still to be played, with a bar of progress."""

from __future__ import annotations

import sys

from evaluator.matches.workers import play_sets
from evaluator.tournaments.folder import TournamentFolder
from evaluator.tournaments.plan import Plan
from evaluator.tournaments.standings import Result
from gobang.match import PlayedGame
from gobang.progress import Progress


def play(plan: Plan, folder: TournamentFolder, results: dict[int, Result], jobs: int) -> None:
    """Play what `results` lacks; each game is in the folder and in `results` as soon as it is over."""
    progress = Progress(plan.games - len(results), sys.stderr)
    before = len(results)

    def on_result(number: int, game: PlayedGame) -> None:
        if number not in results:  # a set that was broken off is played again as a whole
            results[number] = folder.add(number, game)
            progress.update(len(results) - before)

    try:
        play_sets(plan.sets(results), jobs, on_result)
    finally:
        progress.close()
