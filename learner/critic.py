"""Teach a critic by games against itself: python -m learner.critic --out critic.safetensors

Beside the critic's FILE stand FILE.course, from which --resume goes on after a kill, and FILE.jsonl, which says
how it did against `random` and `pattern` after so many games.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gobang.command_line import add_game_options, concluded, variant_of
from gobang.compiling import with_notice
from gobang.critic.file import critic_bytes
from gobang.critic.inputs import FULL, SMALL
from gobang.disk import write_atomically
from gobang.errors import InvalidConfig
from gobang.progress import Progress
from learner.self_teaching.course import Course, CourseConfig, begun, resumed
from learner.self_teaching.exam import OPPONENTS, scores

_GAMES_AT_ONCE: Final = 50  # between two looks at the clock and at what was asked; half a second or less
_SECONDS_BETWEEN_SAVES: Final = 2.0


class Desk:
    """The files of a course, and what its exams have shown so far."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self.course = out.with_name(f"{out.name}.course")
        self._record = out.with_name(f"{out.name}.jsonl")
        self._lines: list[str] = []
        self.score: float | None = None  # of the last exam held here

    def open(self, config: CourseConfig, *, resume: bool) -> Course:
        """The course to go on with, or a new one."""
        if resume:
            course = resumed(self.course, config)
            lines = self._record.read_text(encoding="utf8").splitlines() if self._record.exists() else []
            self._lines = [line for line in lines if json.loads(line)["games"] <= course.games]
            return course
        if self.course.exists():
            raise InvalidConfig(f"{self.course} is there already; --resume goes on with it")
        self._out.parent.mkdir(parents=True, exist_ok=True)
        return begun(config)

    def examine(self, course: Course) -> None:
        """Hold the exam that is due, unless it was held before a kill."""
        if any(json.loads(line)["games"] == course.games for line in self._lines):
            return
        found = scores(course.critic, course.config.variant)
        self.score = found[OPPONENTS[-1]]
        self._lines.append(json.dumps({"games": course.games, **found}))
        write_atomically(self._record, "".join(f"{line}\n" for line in self._lines).encode())

    def save(self, course: Course) -> None:
        """Write the course, then the critic as far as it has come."""
        course.save(self.course)
        origin = {"games": course.games, "seed": course.config.seed, "variant": str(course.config.variant)}
        write_atomically(self._out, critic_bytes(course.critic, course.config.features, origin))


def teach(course: Course, desk: Desk, games: int, every: int) -> None:
    """Play until there are so many games in all, with an exam after `every` of them."""
    progress = Progress(games, sys.stderr)
    saved = time.monotonic()
    try:
        while True:
            is_exam = course.games > 0 and course.games % every == 0
            if is_exam or course.games >= games or time.monotonic() - saved > _SECONDS_BETWEEN_SAVES:
                desk.save(course)  # not after an interrupt, which may fall between a game and its count
                saved = time.monotonic()
            if is_exam:
                desk.examine(course)
            if course.games >= games:
                break
            course.play(min(_GAMES_AT_ONCE, every - course.games % every, games - course.games))
            progress.update(course.games, desk.score)
    finally:
        progress.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m learner.critic",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the critic's file")
    parser.add_argument("--features", choices=(SMALL, FULL), default=FULL, help="30 inputs or 274 (%(default)s)")
    parser.add_argument(
        "--replay", choices=("on", "off"), default="on", help="learn from shuffled batches of 5,000 (%(default)s)"
    )
    parser.add_argument(
        "--values", choices=("states", "actions"), default="states", help="TD(0), or Q-learning (%(default)s)"
    )
    parser.add_argument("--games", type=int, default=20_000, help="in all, over all resumptions (%(default)s)")
    parser.add_argument("--every", type=int, default=1000, metavar="N", help="games between exams (%(default)s)")
    parser.add_argument("--epsilon", type=float, default=0.1, help="share of moves at random (%(default)s)")
    parser.add_argument("--rate", type=float, default=0.1, help="of a step, in the first game (%(default)s)")
    parser.add_argument(
        "--halving", type=int, default=10_000, metavar="N", help="games after which the rate is half (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--resume", action="store_true", help="go on with FILE.course, with the same options")
    add_game_options(parser)
    return parser


def _config(arguments: argparse.Namespace) -> CourseConfig:
    if arguments.games < 1 or arguments.every < 1:
        raise InvalidConfig(f"--games {arguments.games}, --every {arguments.every}: 1 or more")
    return CourseConfig(
        variant=variant_of(arguments),
        features=arguments.features,
        replay=arguments.replay == "on",
        values=arguments.values,
        epsilon=arguments.epsilon,
        rate=arguments.rate,
        halving=arguments.halving,
        seed=arguments.seed,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Teach; returns the exit code."""
    arguments = _parser().parse_args(argv)
    return concluded("learner.critic", lambda: run(arguments), "interrupted; --resume goes on from here")


def run(arguments: argparse.Namespace) -> None:
    """Teach what is left of the games."""
    desk = Desk(arguments.out)
    with with_notice(sys.stderr, beside_a_bar=True):
        teach(desk.open(_config(arguments), resume=arguments.resume), desk, arguments.games, arguments.every)


if __name__ == "__main__":
    sys.exit(main())
