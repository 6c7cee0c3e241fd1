"""A run in which one fault after the other strikes at random, and whose whole history is examined at the end.

The seed decides which fault strikes when.  What the run does meanwhile depends on the machine, so the same seed gives
the same strikes but not the same games.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Final

from gobang.run_folder import state_path, weights_path
from tests.chaos.case import GOES_ON_SECONDS
from tests.chaos.checkpoints import cut, flip_bit, flipped_game
from tests.chaos.doubtful import INFERENCE, TRAINING, VERSION
from tests.chaos.frozen import SHORT_SECONDS, freeze, until_later
from tests.chaos.history import Findings, lines_of
from tests.chaos.killed import kill_inside_a_write
from tests.chaos.pool import send
from tests.chaos.stage import Stage
from tests.chaos.strangers import doors, say
from tests.chaos.trial import Trial

LONGEST_PAUSE: Final = 12.0  # seconds between two strikes
_FIRST_LINES: Final = 3  # of the metrics, while next to nothing has been learned
_THIRD: Final = 3
_KILLED: Final = ("actor 0", "actor 1", "inference 0", "learner", "judge", "redis")
_FROZEN: Final = (*_KILLED, "launcher")

Strike = Callable[[Trial, random.Random], None]


def strikes() -> Mapping[str, Strike]:
    """All that may happen, by name."""
    found: dict[str, Strike] = {f"{part} killed": _killing(part) for part in _KILLED}
    found |= {f"{part} frozen": _freezing(part) for part in _FROZEN}
    found |= {f"{what} told": _telling(what) for what in (TRAINING, VERSION, INFERENCE)}
    return {
        **found,
        "learner killed inside a write": lambda trial, dice: _kill_inside(trial),
        "newest checkpoint cut off": lambda trial, dice: _damage(trial, dice, _cut),
        "newest checkpoint flipped": lambda trial, dice: _damage(trial, dice, _flip),
        "garbage in the stream": _send_garbage,
        "a stranger at a door": _knock,
    }


def plague(stage: Stage, minutes: float, seed: int, say_line: Callable[[str], None]) -> Findings:
    """Strike a run for so long, let it heal, and examine it; the faults of its history are in what is returned."""
    dice, trial, known = random.Random(seed), stage.trial(), strikes()
    end, count = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < end:
        until_later(dice.uniform(1.0, LONGEST_PAUSE))
        name = dice.choice(sorted(known))
        trial.is_running()
        known[name](trial, dice)
        count += 1
        say_line(
            f"{time.strftime('%H:%M:%S')} {name}: version {trial.version}, {len(trial.record.look().stored):,} games"
        )
    trial.goes_on(4 * GOES_ON_SECONDS)
    found = trial.examine()
    more = [*loss_faults(lines_of(trial.folder.metrics))]
    if "Traceback" in trial.launched.output:
        more.append("a traceback on the screen")
    say_line(f"{count} strikes, {trial.version} versions, {trial.judged} games of the judge, seed {seed}")
    return Findings(acknowledged=found.acknowledged, lost=found.lost, twice=found.twice, faults=(*found.faults, *more))


def loss_faults(lines: Iterable[Mapping[str, float]]) -> list[str]:
    """Return a fault if the last third of the run has a higher loss than its first moments.

    Most of the loss falls within the first minute, so thirds of a long run must not be compared with each other.
    """
    losses = [line["loss"] for line in lines if "loss" in line]
    third = len(losses) // _THIRD
    if third < _FIRST_LINES:
        return ["too few losses are known"]
    first, last = fmean(losses[:_FIRST_LINES]), fmean(losses[-third:])
    return [] if last < first else [f"the loss rose from {first:.3f} to {last:.3f}"]


def _killing(part: str) -> Strike:
    def kill(trial: Trial, dice: random.Random) -> None:
        trial.kill(part)

    return kill


def _freezing(part: str) -> Strike:
    def stop(trial: Trial, dice: random.Random) -> None:
        freeze(trial, part, dice.uniform(0.5, SHORT_SECONDS))

    return stop


def _telling(what: str) -> Strike:
    def tell(trial: Trial, dice: random.Random) -> None:
        (trial.place / what).touch()

    return tell


def _kill_inside(trial: Trial) -> None:
    kill_inside_a_write(trial, trial.folder.state)


def _damage(trial: Trial, dice: random.Random, spoil: Callable[[Path, random.Random], None]) -> None:
    """Cut off the newest weights or state, or flip a bit of them, and kill the learner, which has to read them."""
    learner = trial.process("learner")
    learner.suspend()
    path = dice.choice((weights_path, state_path))(trial.folder, trial.version)
    if path.exists():
        spoil(path, dice)
    learner.kill()


def _cut(path: Path, dice: random.Random) -> None:
    cut(path, dice.randrange(path.stat().st_size))


def _flip(path: Path, dice: random.Random) -> None:
    path.write_bytes(flip_bit(path.read_bytes(), dice))


def _send_garbage(trial: Trial, dice: random.Random) -> None:
    number = dice.randrange(10**9)
    send(trial, f"garbage-{number}", 0, flipped_game(dice, number))


def _knock(trial: Trial, dice: random.Random) -> None:
    say(dice.choice(doors(trial)), dice.randbytes(3000))
