"""Does an experiment in a folder: trainings one after the other, then whatever the question asks for.

Each step leaves its result in the folder, and a step that is done is not done again.  So an experiment may be broken
off at any time, by a kill too, and the same command goes on.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

from evaluator.experiments.contests import Contests, Ring
from evaluator.experiments.depths import Look, middle_games, searches_by_depth, searches_by_threats, warm_up
from evaluator.experiments.notebook import Notebook
from evaluator.experiments.question import Depths, Question
from evaluator.experiments.training import Course, Training, teach, train
from evaluator.judging.drills import Drill, drilled
from evaluator.judging.journal import Line
from evaluator.tournaments.plan import gauntlet
from evaluator.tournaments.standings import Standings
from gobang.evaluators.network import make_evaluator
from gobang.players.spec import parse
from gobang.progress import Progress
from gobang.rules.position import Position
from gobang.run_folder import RunFolder, weights_versions
from gobang.types import Variant

_DRILL_PAIRS: Final = 50  # of games against random moves


@dataclass(frozen=True, kw_only=True, slots=True)
class Drilled:
    """A version that was asked simple questions, and the training steps that it had."""

    step: int
    drill: Drill


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """What an experiment has found; a part is None or empty where the question does not ask for it."""

    variant: Variant  # of the matches
    trainings: tuple[Training, ...]
    courses: tuple[Course, ...]
    meeting: Standings | None  # of what was trained
    players: Standings | None  # of what was not
    against: Standings | None  # first those that ask, then their opponents
    versions: tuple[tuple[Training, tuple[int, ...], Standings], ...]  # the last version first
    steps: Mapping[int, tuple[tuple[Training, ...], Standings | None]]  # who had so many; None: less than two
    drills: tuple[tuple[Training, tuple[Drilled, ...]], ...]
    rings: tuple[Ring, ...]
    looks: tuple[Look, ...]


class Laboratory:
    """An experiment in its folder."""

    def __init__(self, question: Question, folder: Path, jobs: int) -> None:
        self._question = question
        self._folder = folder
        self._jobs = jobs
        self._contests = Contests(folder, games=question.games, jobs=jobs)
        seeds = range(1, question.seeds + 1)  # all variants have a seed before any has two
        self.trainings = tuple(
            Training(variation=each, seed=seed, folder=RunFolder(folder / "runs" / f"{_slug(each.name)}-{seed}"))
            for seed in seeds
            for each in question.variants
        )
        self.courses = tuple(
            Course(variation=each, seed=seed, file=folder / "courses" / f"{_slug(each.name)}-{seed}.safetensors")
            for seed in seeds
            for each in question.courses
        )

    def run(self) -> Findings:
        """Do what is left to do; raises GobangError, and KeyboardInterrupt when told to stop."""
        # A run of the launcher takes all cores; one of the works' loop takes one.
        pool = ThreadPoolExecutor(self._jobs if self._question.iterations else 1)
        try:
            for done in [pool.submit(self._train, number) for number in range(len(self.trainings))]:
                done.result()
        finally:
            pool.shutdown(cancel_futures=True)
        for number, course in enumerate(self.courses, 1):
            sys.stderr.write(f"course {number} of {len(self.courses)}: {course.name}\n")
            teach(course, self._question)
        return self._find()

    def _train(self, number: int) -> None:
        training = self.trainings[number]
        sys.stderr.write(f"training {number + 1} of {len(self.trainings)}: {training.name}\n")
        train(training, self._question)

    def _find(self) -> Findings:
        question, variant = self._question, self._variant()
        trained, others = self._trained(), _by_short_name(question.players)
        return Findings(
            variant=variant,
            trainings=self.trainings,
            courses=self.courses,
            meeting=self._meet("meeting", trained),
            players=self._meet("players", others),
            against=self._against({**trained, **others}) if question.against else None,
            versions=tuple(map(self._versions, self.trainings)) if question.versions else (),
            steps={steps: self._after(steps) for steps in question.steps},
            drills=tuple(self._drills()) if question.drills else (),
            rings=self._rings() if question.first_moves else (),
            looks=tuple(self._looks()) if question.depths.depth else (),
        )

    def _trained(self) -> dict[str, str]:
        """Texts of the players that were trained, by their names."""
        return {**self._newest(self._question.play), **{course.name: course.player for course in self.courses}}

    def _newest(self, play: str) -> dict[str, str]:
        return {training.name: training.newest(play) for training in self.trainings}

    def _meet(self, name: str, players: Mapping[str, str]) -> Standings | None:
        if not self._question.meet or len(players) < 2:
            return None
        return self._contests.standings(name, self._variant(), players)

    def _against(self, players: Mapping[str, str]) -> Standings:
        opponents = _by_short_name(self._question.against)
        pairings = [(one, len(players) + other) for one in range(len(players)) for other in range(len(opponents))]
        return self._contests.standings("against", self._variant(), {**players, **opponents}, pairings)

    def _versions(self, training: Training) -> tuple[Training, tuple[int, ...], Standings]:
        """Versions that lie evenly between the first and the last, against the last."""
        chosen = sorted({weights_versions(training.folder)[0], *training.versions(self._question.versions)})[::-1]
        play = self._question.play
        players = {f"version {version}": training.player(version, play) for version in chosen}
        name = f"versions-{training.slug}"
        pairings = gauntlet(len(players))
        return training, tuple(chosen), self._contests.standings(name, self._variant(), players, pairings)

    def _after(self, steps: int) -> tuple[tuple[Training, ...], Standings | None]:
        """Those that have had so many training steps against each other, as they were then."""
        after = _iterations_after if self._question.iterations else _version_after
        found = {training: after(training, steps) for training in self.trainings}
        players = {
            training.name: training.player(version, self._question.play)
            for training, version in found.items()
            if version is not None
        }
        able = tuple(training for training, version in found.items() if version is not None)
        if len(players) < 2:
            return able, None
        return able, self._contests.standings(f"steps-{steps}", self._variant(), players)

    def _rings(self) -> tuple[Ring, ...]:
        return self._contests.first_moves(self._variant(), self._newest(self._question.first_moves))

    def _drills(self) -> Iterator[tuple[Training, tuple[Drilled, ...]]]:
        with closing(Notebook(self._folder / "drills.jsonl")) as notebook:
            for training in self.trainings:
                sys.stderr.write(f"drills of {training.name}\n")
                lines = [
                    notebook.lines(f"{training.slug} {version}", partial(_drill, training, version))[0]
                    for version in training.versions(self._question.drills)
                ]
                yield training, tuple(Drilled(step=line["step"], drill=Drill(**line["drill"])) for line in lines)

    def _looks(self) -> Iterator[Look]:
        question, depths = self._question, self._question.depths
        positions = middle_games(question.game, question.games)
        warm_up(question.game, depths)
        progress = Progress(len(positions), sys.stderr, unit="positions")
        with closing(Notebook(self._folder / "depths.jsonl")) as notebook, closing(progress):
            for number, position in enumerate(positions):
                look = partial(_look, question.game, number, position, depths)
                yield from (Look(**line) for line in notebook.lines(f"{number} {depths}", look))
                progress.update(number + 1)

    def _variant(self) -> Variant:
        """The game of the trained networks, or that which the question names."""
        if not self.trainings:
            return self._question.game
        first = self.trainings[0]
        return first.checkpoint(weights_versions(first.folder)[-1]).variant


def _version_after(training: Training, steps: int) -> int | None:
    """The first version that had so many training steps."""
    versions = weights_versions(training.folder)
    return next((version for version in versions if training.checkpoint(version).step >= steps), None)


def _iterations_after(training: Training, iterations: int) -> int | None:
    """Return the version after so many iterations, by whose number the works' loop calls it."""
    return next((version for version in weights_versions(training.folder) if version >= iterations), None)


def _drill(training: Training, version: int) -> list[Line]:
    checkpoint = training.checkpoint(version)
    evaluator = make_evaluator(checkpoint, checkpoint.variant)
    drill = drilled(evaluator, checkpoint.variant, version, threading.Event(), _DRILL_PAIRS)
    return [{"step": checkpoint.step, "drill": asdict(drill)}]


def _look(variant: Variant, number: int, position: Position, depths: Depths) -> list[Line]:
    by_depth = searches_by_depth(variant, number, position, depths)
    return [asdict(look) for look in (*by_depth, *searches_by_threats(variant, number, position, depths))]


def _by_short_name(players: Sequence[str]) -> dict[str, str]:
    """Return the texts of players by the shortest text of each, for tables."""
    return {str(parse(player)): player for player in players}


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")
