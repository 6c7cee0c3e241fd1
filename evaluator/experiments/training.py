"""What an experiment trains: runs of the launcher, and courses of critics.

Each is a process of its own, since no package here may load the launcher.  It goes on where it was broken off, and
what has had its budget is not started again.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.experiments.question import Question, Variation
from evaluator.judging.journal import read_lines
from gobang.children import tied
from gobang.command_line import EXIT_INTERRUPTED
from gobang.errors import GobangError
from gobang.network.checkpoint import Checkpoint, load_checkpoint
from gobang.run_folder import RunFolder, weights_path, weights_versions

_LAUNCHER: Final = "learner.launch"
_TEACHER: Final = "learner.critic"
_PAPER: Final = "learner.paper"
_CHECKS: Final = "checks.jsonl"  # of a run of learner.paper
_FINISHED: Final = "finished"  # state of a run
_SPARED: Final = ("dashboard=false", "evaluator.share=0.05")  # nobody looks, and nobody asks the judge
_EXAMS: Final = 10  # of a course
_SAVING_SECONDS: Final = 120.0  # for a launcher of the same run that is still saving


@dataclass(frozen=True, kw_only=True, slots=True)
class Training:
    """A run of an experiment, e.g. `Training(variation=Variation(name="MLP", ...), seed=2, folder=RunFolder(...))`."""

    variation: Variation
    seed: int
    folder: RunFolder

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.variation.name}, seed {self.seed}"

    @property
    def slug(self) -> str:
        """For files."""
        return self.folder.root.name

    def versions(self, count: int) -> list[int]:
        """So many versions after the first that lie evenly up to the last, or all that are kept, in rising order."""
        kept = weights_versions(self.folder)
        return sorted({kept[round(step * (len(kept) - 1) / count)] for step in range(1, count + 1)})

    def weights(self, version: int) -> Path:
        """The file of a version."""
        return weights_path(self.folder, version)

    def checkpoint(self, version: int) -> Checkpoint:
        """The content of that file."""
        return load_checkpoint(self.weights(version))

    def rungs(self) -> dict[int, int]:
        """Return the iteration at which a run by the works' loop beat each number of playouts."""
        lines = read_lines(self.folder.root / _CHECKS)
        return {line["playouts"]: line["iteration"] for line in lines if line["is_won"]}

    def player(self, version: int, play: str) -> str:
        """The text of the player with a version's weights."""
        return f"net:{self.weights(version)},{play}"

    def newest(self, play: str) -> str:
        """The text of the player with the newest weights."""
        return f"net:{self.folder.root}@latest,{play}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """A critic of an experiment, e.g. `Course(variation=Variation(name="ADP", ...), seed=2, file=Path(...))`."""

    variation: Variation
    seed: int
    file: Path

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.variation.name}, seed {self.seed}"

    @property
    def player(self) -> str:
        """The text of the player."""
        return f"critic:{self.file}"

    def exams(self) -> list[dict[str, float]]:
        """A line for each: games so far, and the share of the points against each opponent."""
        return list(read_lines(self.file.with_name(f"{self.file.name}.jsonl")))


def train(training: Training, question: Question) -> None:
    """Train what is left of the budget; raises GobangError, and KeyboardInterrupt when told to stop."""
    folder = training.folder
    if folder.is_held():
        sys.stderr.write("an earlier launcher saves what it has\n")
        _wait_while(folder.is_held)
    if _has_had_its_budget(folder, question):
        return
    if question.iterations:
        _run(paper_command(training, question), f"the training of {training.name}", "what it said stands above")
        return
    command = [_LAUNCHER, "--run", str(folder.root), *_budget(question)]
    if folder.config.exists():
        command.append("--resume")
    else:
        settings = [*_SPARED, *question.settings, *training.variation.settings]
        command += ["--preset", question.preset, "--seed", str(training.seed)]
        command += [part for setting in settings for part in ("--set", setting)]
    _run(command, f"the training of {training.name}", f"its log: {folder.log}")


def paper_command(training: Training, question: Question) -> list[str]:
    """Return what trains by the works' loop; the same command goes on after a kill."""
    settings = [*question.settings, *training.variation.settings]
    command = [_PAPER, "--run", str(training.folder.root), "--iterations", str(question.iterations)]
    return [*command, "--seed", str(training.seed), *(part for each in settings for part in ("--set", each))]


def teach(course: Course, question: Question) -> None:
    """Teach a critic what is left of its games; raises as `train`."""
    every = max(1, question.lessons // _EXAMS)
    exams = course.exams()
    if exams and exams[-1]["games"] >= question.lessons // every * every and course.file.exists():
        return
    game = question.game
    command = [_TEACHER, "--out", str(course.file), "--games", str(question.lessons), "--every", str(every)]
    command += ["--seed", str(course.seed), "--size", f"{game.height}x{game.width}", "--k", str(game.k)]
    if course.file.with_name(f"{course.file.name}.course").exists():
        command.append("--resume")
    _run([*command, *course.variation.settings], f"the course of {course.name}", "what it said stands above")


def _run(command: Sequence[str], what: str, hint: str) -> None:
    code = subprocess.run(tied([sys.executable, "-m", *command]), check=False).returncode
    if code in (-2, EXIT_INTERRUPTED):
        raise KeyboardInterrupt
    if code:
        raise GobangError(f"{what} ended with exit code {code}; {hint}")


def _has_had_its_budget(folder: RunFolder, question: Question) -> bool:
    """Whether its summary says so; where it says nothing, the launcher will."""
    summary = folder.read_summary()
    values = summary.get("values", {})
    if summary.get("state") != _FINISHED:
        return False
    if question.iterations:
        return bool(values.get("games", 0) >= question.iterations)
    if question.evaluations:
        return bool(values.get("evaluations", 0) >= question.evaluations)
    return bool(values.get("seconds", 0) >= 60 * question.minutes)


def _budget(question: Question) -> list[str]:
    if question.evaluations:
        return ["--evaluations", str(question.evaluations)]
    return ["--minutes", str(question.minutes)]


def _wait_while(is_on: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SAVING_SECONDS
    while is_on() and time.monotonic() < deadline:
        time.sleep(0.1)
