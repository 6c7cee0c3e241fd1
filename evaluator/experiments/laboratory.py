"""Does an experiment in a folder: trainings one after the other, then the matches.

Each step leaves its result in the folder, and a step that is done is not done again.  So an experiment may be broken
off at any time, by a kill too, and the same command goes on.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.experiments.question import Question, Variation
from evaluator.tournaments.folder import TournamentFolder
from evaluator.tournaments.plan import Pairing, Plan, gauntlet, round_robin
from evaluator.tournaments.playing import play
from evaluator.tournaments.standings import Standings, standings
from gobang import child_exec
from gobang.errors import GobangError
from gobang.network.checkpoint import load_checkpoint
from gobang.openings import chosen_openings, has_balanced
from gobang.run_folder import RunFolder, weights_path, weights_versions
from gobang.types import BALANCED, RANDOM, Variant

_LAUNCHER: Final = "learner.launch"  # in a process of its own, since no package here may load the launcher
_OPENING_PLIES: Final = 2
_SEED: Final = 1  # of all matches
_SAVING_SECONDS: Final = 120.0  # for a launcher whose experiment was killed


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """What an experiment has found so far; a part is None where the question does not ask for it."""

    trainings: tuple[Training, ...]
    meeting: Standings | None
    against: Standings | None  # the trained networks first, then their opponents
    versions: tuple[tuple[Training, tuple[int, ...], Standings], ...]  # the last version first


class Laboratory:
    """An experiment in its folder."""

    def __init__(self, question: Question, folder: Path, jobs: int) -> None:
        self._question = question
        self._folder = folder
        self._jobs = jobs
        self.trainings = tuple(
            Training(variation=each, seed=seed, folder=RunFolder(folder / "runs" / f"{_slug(each.name)}-{seed}"))
            for seed in range(1, question.seeds + 1)  # all variants have a seed before any has two
            for each in question.variants
        )

    def run(self) -> Findings:
        """Do what is left to do; raises GobangError, and KeyboardInterrupt when told to stop."""
        for number, training in enumerate(self.trainings, 1):
            sys.stderr.write(f"training {number} of {len(self.trainings)}: {training.name}\n")
            self._train(training)
        return Findings(
            trainings=self.trainings,
            meeting=self._meeting() if self._question.meet else None,
            against=self._against() if self._question.against else None,
            versions=tuple(map(self._versions, self.trainings)) if self._question.versions else (),
        )

    def _train(self, training: Training) -> None:
        """Run the launcher; it says by itself where a run has had its budget."""
        folder, question = training.folder, self._question
        if folder.is_held():
            sys.stderr.write("an earlier launcher saves what it has\n")
            _wait_while(folder.is_held)
        command = [sys.executable, "-m", _LAUNCHER, "--run", str(folder.root), *self._budget()]
        if folder.config.exists():
            command.append("--resume")
        else:
            shutil.rmtree(folder.root, ignore_errors=True)  # a start that was killed before it had written anything
            settings = [*question.settings, *training.variation.settings, "dashboard=false"]
            command += ["--preset", question.preset, "--seed", str(training.seed)]
            command += [part for setting in settings for part in ("--set", setting)]
        with_this = [sys.executable, "-I", "-S", child_exec.__file__, "SIGINT", str(os.getpid())]
        code = subprocess.run([*with_this, *command], check=False).returncode
        if code == -2 or code == 130:
            raise KeyboardInterrupt
        if code:
            raise GobangError(f"the training of {training.name} ended with exit code {code}; its log: {folder.log}")

    def _budget(self) -> list[str]:
        if self._question.evaluations:
            return ["--evaluations", str(self._question.evaluations)]
        return ["--minutes", str(self._question.minutes)]

    def _meeting(self) -> Standings:
        names, players = self._entrants()
        return self._tournament("meeting", names, players, round_robin(len(players)))

    def _against(self) -> Standings:
        names, players = self._entrants()
        opponents = self._question.against
        pairings = tuple((one, len(names) + other) for one in range(len(names)) for other in range(len(opponents)))
        return self._tournament("against", (*names, *opponents), (*players, *opponents), pairings)

    def _versions(self, training: Training) -> tuple[Training, tuple[int, ...], Standings]:
        """Versions that lie evenly between the first and the last, against the last."""
        kept = weights_versions(training.folder)
        steps = self._question.versions
        chosen = tuple(sorted({kept[round(step * (len(kept) - 1) / steps)] for step in range(steps + 1)}, reverse=True))
        players = [f"net:{weights_path(training.folder, version)},{self._question.play}" for version in chosen]
        names = tuple(f"version {version}" for version in chosen)
        table = self._tournament(f"versions-{training.folder.root.name}", names, players, gauntlet(len(players)))
        return training, chosen, table

    def _entrants(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names and texts of those that meet."""
        if self._question.players:
            return self._question.players, self._question.players
        return (
            tuple(training.name for training in self.trainings),
            tuple(f"net:{training.folder.root}@latest,{self._question.play}" for training in self.trainings),
        )

    def _tournament(
        self, name: str, names: tuple[str, ...], players: Sequence[str], pairings: tuple[Pairing, ...]
    ) -> Standings:
        variant = self._variant()
        kind = BALANCED if has_balanced(variant) else RANDOM
        openings = chosen_openings(variant, kind, _OPENING_PLIES, self._question.games // 2, _SEED)
        plan = Plan(variant=variant, players=tuple(players), pairings=pairings, openings=tuple(openings), seed=_SEED)
        with closing(TournamentFolder(self._folder / name, plan)) as folder:
            results = dict(folder.results())
            sys.stderr.write(f"{name}: {plan.games - len(results)} games to play\n")
            play(plan, folder, results, self._jobs)
        return standings(names, variant, results.values())

    def _variant(self) -> Variant:
        """The game of the trained networks, or that which the question names."""
        if not self.trainings:
            return self._question.game
        folder = self.trainings[0].folder
        return load_checkpoint(weights_path(folder, weights_versions(folder)[-1])).variant


def _wait_while(is_on: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SAVING_SECONDS
    while is_on() and time.monotonic() < deadline:
        time.sleep(0.1)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")
