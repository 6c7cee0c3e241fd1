"""The section with annotated games: chosen from the judge's, searched again with the run's best network."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, TextIO

from evaluator.report.annotation import Analyst, AnnotatedGame, TimeIsUp
from evaluator.report.choice import ChosenGame, choose_games
from evaluator.report.game_page import game_html
from evaluator.report.page import Draw, Section
from evaluator.report.run_record import RunRecord
from gobang.evaluators.network import make_evaluator
from gobang.progress import Progress
from gobang.run_folder import best_weights

SIMULATIONS: Final = 400  # of each position
MOST_SECONDS: Final = 120.0  # for all games; those that are not done by then are left out


def games_section(run: RunRecord, count: int, draw: Draw, stream: TextIO) -> Section:
    """The section on `count` games at most; `stream` shows how far the search has come."""
    chosen = choose_games(run.games, count)
    if not chosen:
        return _section("The judge has finished no game yet.")
    weights = best_weights(run.folder)
    if not weights.exists():
        return _section(f"{weights} is missing, so that no network can look at the games.")
    annotated = _annotate(run, chosen, stream)
    cards = [game_html(each, run.variant, reason, draw) for reason, each in annotated]
    missing = len(chosen) - len(annotated)
    words = (
        f"Games of the newest matches, searched again with the best network, {SIMULATIONS} simulations a position and "
        "the tactical solver. Blue points are moves that the search visited, with their share of the visits in "
        "percent, the dashed ring is the move that was played. Key moves are those after which the search expects "
        "much less for their player, or which it would hardly have considered; the players themselves searched less."
    )
    late = f" {missing} more were left out after {MOST_SECONDS:.0f} seconds." if missing else ""
    return _section(words + late, "".join(cards))


def _section(words: str, cards: str = "") -> Section:
    return Section(name="games", title="Games", words=words, extra=f'<div class="cards">{cards}</div>' if cards else "")


def _annotate(run: RunRecord, chosen: Sequence[ChosenGame], stream: TextIO) -> list[tuple[str, AnnotatedGame]]:
    """Reasons and games, as many as the time allows."""
    total = sum(len(each.game.record.moves) - each.game.record.opening for each in chosen)
    progress = Progress(total, stream, unit="positions")
    evaluator = make_evaluator(best_weights(run.folder), run.variant)
    analyst = Analyst(run.variant, evaluator, SIMULATIONS, _Watch(total, progress).goes_on)
    annotated: list[tuple[str, AnnotatedGame]] = []
    try:
        for each in chosen:
            annotated.append((each.reason, analyst.annotate(each.game)))
    except TimeIsUp:
        pass
    finally:
        progress.close()
    return annotated


class _Watch:
    """Shows how many of the `total` positions have been searched, and says when the time is up."""

    def __init__(self, total: int, progress: Progress, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._progress, self._clock = total, progress, clock
        self._done = 0
        self._deadline: float | None = None

    def goes_on(self, positions: int) -> bool:
        if self._deadline is None:  # the first ones may have waited for kernels to be compiled
            self._deadline = self._clock() + MOST_SECONDS
        self._done += positions
        self._progress.update(min(self._done, self._total))  # what the key moves take comes on top
        return self._clock() < self._deadline
