"""Folders of runs, written by what writes them in earnest."""

from __future__ import annotations

import io
import threading
from pathlib import Path

from evaluator.judging.contest import Opponent, Rollouts, Version
from evaluator.judging.gate import PROMOTE, REJECT, ContestGame, Standing
from evaluator.judging.history import History
from evaluator.judging.ladder import LadderConfig
from evaluator.statistics.tally import Tally
from gobang.network.checkpoint import fresh_checkpoint, save_checkpoint
from gobang.network.presets import preset
from gobang.run_folder import RunFolder, best_weights
from gobang.settings import write_yaml
from gobang.types import GameRecord, Variant
from gobang.versions import NO_VERSION
from learner.run.config import RunConfig
from learner.watching.budget import Budget
from learner.watching.monitor import Monitor
from learner.watching.progress import LineProgress

BOARD = Variant.square(8)
# Black has four in a row; white blocks at g4, or overlooks it.
BLUNDER = (26, 25, 27, 7, 28, 48, 29, 55, 30)
BLACK, WHITE = 0, 1
NO_GAMES = Tally(wins=0, draws=0, losses=0)


class NoMeters:
    def write(self, values):
        pass


def write_metrics(folder: RunFolder, speed: float, lines: int = 6) -> None:
    now = [1000.0]
    facts = {"game": str(BOARD), "machine": "a laptop", "play": "gobang play"}
    monitor = Monitor(folder, LineProgress(io.StringIO()), NoMeters(), Budget(), facts, clock=lambda: now[0])
    for line in range(lines):
        now[0] += 60
        values = {"games": round(100 * speed * line), "evaluations": 1e4 * speed * line, "version": line}
        monitor.show({**values, "best": 2 if line > 3 else 0, "loss": 4.0 / (1 + line), "kl": 0.001, "reuse": 4.0})


def record(history: History, candidate: int, opponent: Opponent, outcomes: list[int], verdict: str) -> None:
    """A match in which the candidate is black in games of even number; game n has n stones more in its tail."""
    contest = history.begin(candidate, opponent, "terms")
    for number, outcome in enumerate(outcomes):
        players = contest.names if number % 2 == 0 else contest.names[::-1]
        moves = BLUNDER if outcome == BLACK else (60 - number, *(point + 8 for point in BLUNDER))
        played = GameRecord(variant=BOARD, moves=moves, outcome=outcome, opening=2)
        black, white = players
        history.record(ContestGame(match=contest.number, number=number, names=(black, white), record=played))
    history.end(Standing(verdict=verdict, by_colour=(NO_GAMES, NO_GAMES), games=0, log_likelihood_ratio=0.0))


def write_run(root: Path, speed: float = 1.0) -> Path:
    """A run of six minutes: version 0 loses to rollouts, version 2 beats both."""
    folder = RunFolder(root)
    folder.create(write_yaml(RunConfig(game=BOARD, network=preset("gobang_2x32"))))
    write_metrics(folder, speed)
    history = History(folder, BOARD, LadderConfig(), threading.Event())
    record(history, 0, Version(number=NO_VERSION), [], PROMOTE)  # as runs of 0.1.0 began
    record(history, 0, Rollouts(playouts=1000), [WHITE, BLACK, WHITE, BLACK], REJECT)
    record(history, 2, Version(number=0), [BLACK, WHITE, BLACK, WHITE], PROMOTE)
    record(history, 2, Rollouts(playouts=1000), [BLACK, WHITE, BLACK, WHITE], PROMOTE)
    history.close()
    save_checkpoint(best_weights(folder), fresh_checkpoint(preset("gobang_2x32"), BOARD))
    return root
