"""Teach a network what another one answers: python -m learner.distill --out lines.safetensors

A teacher plays games by its policy alone, without a search, from a few random stones.  The pupil learns the
teacher's priors and chances in these positions; by how much they differ in positions that were held back is said
at the end.

FILE is written every minute.  A distillation that was broken off is not resumed; one that begins with what it has
learned, --begin-with FILE, asks the teacher anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from gobang.command_line import add_game_options, concluded, variant_of
from gobang.compiling import with_notice
from gobang.errors import InvalidConfig
from gobang.evaluators.network import make_evaluator
from gobang.network.architectures.architecture import fit
from gobang.network.presets import preset
from gobang.players.trained import check_weights, nearest_trained, weights_file
from gobang.progress import Progress
from gobang.types import Variant
from learner.distillation.course import SETTINGS, Course
from learner.distillation.lessons import Lessons, ask_teacher
from learner.training.beginning import first_weights
from learner.training.trainer import Trainer

_LEAST_POSITIONS: Final = 1000


def _ask(arguments: argparse.Namespace, variant: Variant, random: np.random.Generator) -> Lessons:
    """The teacher's lessons; InvalidConfig if there is none for the game."""
    name = arguments.teacher or nearest_trained(variant)
    if name is None:
        raise InvalidConfig(f"--teacher: no network in the box knows {variant}; name one")
    check_weights(name)
    teacher = make_evaluator(weights_file(name), variant)
    progress = Progress(arguments.positions, sys.stderr, unit="positions")
    try:
        return ask_teacher(teacher, variant, arguments.positions, random, progress.update)
    finally:
        progress.close()


def _pupil(arguments: argparse.Namespace, variant: Variant) -> Trainer:
    """A trainer with fresh weights, or with those of --begin-with."""
    trainer = Trainer(fit(preset(arguments.network), variant), SETTINGS, seed=arguments.seed)
    if arguments.begin_with is not None:
        trainer.set_weights(first_weights(arguments.begin_with, trainer.spec).tensors)
    return trainer


def _check(arguments: argparse.Namespace) -> None:
    if arguments.positions < _LEAST_POSITIONS:
        raise InvalidConfig(f"--positions {arguments.positions}: {_LEAST_POSITIONS} or more")
    if not arguments.minutes > 0 or arguments.batch < 1 or arguments.seed < 0:
        given = f"--minutes {arguments.minutes}, --batch {arguments.batch}, --seed {arguments.seed}"
        raise InvalidConfig(f"{given}: minutes above 0, a batch of 1 or more, a seed of 0 or more")
    if arguments.out.exists() and str(arguments.out) != arguments.begin_with:
        raise InvalidConfig(f"{arguments.out} is there already; --begin-with {arguments.out} teaches it further")
    if not arguments.out.absolute().parent.is_dir():
        raise InvalidConfig(f"--out {arguments.out}: there is no folder {arguments.out.parent}")


def run(arguments: argparse.Namespace) -> None:
    """Ask, teach, write and examine."""
    _check(arguments)
    variant = variant_of(arguments)
    questions, draws = map(np.random.default_rng, np.random.SeedSequence(arguments.seed).spawn(2))
    with with_notice(sys.stderr, beside_a_bar=True):
        trainer = _pupil(arguments, variant)
        course = Course(trainer, _ask(arguments, variant, questions), arguments.out)
        course.learn(60 * arguments.minutes, arguments.batch, draws)
    print(f"{arguments.out}: {trainer.steps} steps; {course.examine()}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m learner.distill",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the pupil's weights")
    parser.add_argument(
        "--teacher",
        metavar="NET",
        help="builtin-15x15, a run's version such as runs/15x15-1@best, or a file (the nearest in the box)",
    )
    parser.add_argument("--network", default="lines_64", metavar="NAME", help="of the pupil (%(default)s)")
    parser.add_argument(
        "--positions", type=int, default=400_000, metavar="N", help="that the teacher answers (%(default)s)"
    )
    parser.add_argument("--minutes", type=float, default=20.0, metavar="M", help="of learning (%(default)s)")
    parser.add_argument("--batch", type=int, default=256, metavar="N", help="positions in a step (%(default)s)")
    parser.add_argument(
        "--begin-with", metavar="NET", help="weights to go on from, of this network or of one that sees less"
    )
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    add_game_options(parser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Distil; returns the exit code."""
    arguments = _parser().parse_args(argv)
    return concluded("learner.distill", lambda: run(arguments), "interrupted")


if __name__ == "__main__":
    sys.exit(main())
