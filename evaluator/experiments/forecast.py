"""Estimate the time and disk of an experiment by the works' loop from a short measurement of each variant."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from evaluator.experiments.laboratory import Laboratory
from evaluator.experiments.question import Question
from evaluator.experiments.training import paper_command
from gobang.children import tied
from gobang.errors import GobangError

_HOUR: Final = 3600.0
_CHECK_GAMES: Final = 10


def forecast(question: Question, laboratory: Laboratory, jobs: int) -> Iterator[str]:
    """Yield a line for each variant, then the sum: hours of one core, hours here, and disk."""
    if not question.iterations:
        hours = len(question.variants) * question.seeds * question.minutes / 60
        yield f"{hours:.1f} hours of trainings; the disk was not measured, since the experiment counts minutes"
        return
    seconds = disk = game = 0.0
    for training in laboratory.trainings[: len(question.variants)]:  # each variant with the first seed
        found = _measured(paper_command(training, question))
        seconds += question.seeds * found["seconds"]
        disk += question.seeds * found["bytes"]
        game = max(game, found["check"] / _CHECK_GAMES)
        hours, megabytes = found["seconds"] / _HOUR, found["bytes"] / 1e6
        yield f"{training.variation.name}: {hours:.1f} hours and {megabytes:.0f} MB for each of {question.seeds} seeds"
    matches = game * _games(question, len(laboratory.trainings))
    yield (
        f"in all {seconds / _HOUR:.1f} hours of one core in training, some {matches / _HOUR:.1f} in matches; "
        f"{(seconds + matches) / _HOUR / jobs:.1f} hours with --jobs {jobs}; {disk / 1e6:.0f} MB"
    )


def _games(question: Question, trained: int) -> int:
    """Return the number of games of the matches between and against what was trained."""
    pairs = trained * (trained - 1) // 2 if question.meet else 0
    return question.games * (
        pairs + trained * (len(question.against) + question.versions) + pairs * len(question.steps)
    )


def _measured(command: list[str]) -> dict[str, float]:
    ended = subprocess.run(
        tied([sys.executable, "-m", *command, "--measure"]), check=False, stdout=subprocess.PIPE, text=True
    )
    if ended.returncode:
        raise GobangError(f"the measurement ended with exit code {ended.returncode}; what it said stands above")
    found: dict[str, float] = json.loads(ended.stdout)
    return found
