"""Parts that stand still: stopped by SIGSTOP, as a machine that swaps or a debugger does."""

from __future__ import annotations

import contextlib
import time
from typing import Final

import psutil

from gobang.options import read_settings
from gobang.settings import read_yaml
from learner.replay.pool.redis_claim import pool_name
from learner.run.config import RunConfig
from tests.chaos.case import GOES_ON_SECONDS, PATIENCE, Case, hold, until
from tests.chaos.stage import Stage
from tests.chaos.trial import Trial

ACTORS: Final = 2
SHORT_SECONDS: Final = 4.0  # nobody is given up for that
LONG_SECONDS: Final = 26.0  # the supervisor gives up a part after 20 s without an answer
PARTS: Final = ("actor 0", "inference 0", "learner", "judge", "redis", "launcher")


def freeze_learner(stage: Stage, number: int) -> float:
    """The actors stop when they are ahead by what the limiter tolerates; the learner is killed and goes on."""
    trial = stage.trial()
    mark, learner = trial.mark(), trial.process("learner")
    learner.suspend()
    before = _positions(trial)
    until(lambda: trial.is_running() and _waiting(trial) == ACTORS, GOES_ON_SECONDS, "the actors do not wait")
    until(lambda: "learner has not answered for" in trial.log_since(mark), GOES_ON_SECONDS, "it is not given up")
    ahead = _positions(trial) - before
    hold(ahead <= most_ahead(trial), f"{ahead} positions were stored while the learner stood still")
    seconds = trial.learns_on(mark, 2 * GOES_ON_SECONDS)
    trial.plays_on(trial.mark())
    trial.told(mark, "learner has not answered for")
    return seconds


def most_ahead(trial: Trial) -> int:
    """Positions that actors may store while nobody samples: the tolerance on both sides, and their games in play."""
    config = read_settings(RunConfig(), read_yaml(trial.folder.config))
    return 2 * config.replay.limiter.tolerance + ACTORS * config.self_play.games * config.game.points


def freeze_each(stage: Stage, number: int) -> float:
    """Each part for some seconds; in even rounds for so long that it is given up, but for the launcher."""
    trial, slowest = stage.trial(), 0.0
    for part in PARTS:
        mark, began = trial.mark(), time.monotonic()
        freeze(trial, part, SHORT_SECONDS if number % 2 else LONG_SECONDS)
        slowest = max(slowest, trial.goes_on(), time.monotonic() - began if number % 2 == 0 else 0.0)
        hold("Traceback" not in trial.log_since(mark), f"a traceback in the log after {part} was stopped")
    return slowest


def freeze(trial: Trial, part: str, seconds: float) -> None:
    """Stop a part and let it go on, if it still lives."""
    process = trial.process(part)
    process.suspend()
    if part == "redis":
        trial.redis_deaths.append(time.monotonic())  # its keeper may kill it
    until_later(seconds)
    with contextlib.suppress(psutil.NoSuchProcess):
        process.resume()


def until_later(seconds: float) -> None:
    """Let time pass."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() >= end, seconds + PATIENCE, "")


def _positions(trial: Trial) -> int:
    name = pool_name(trial.folder.read_address()["namespace"], trial.folder.identity())
    with trial.redis() as redis:
        return int(redis.hget(f"{name}:counters", "positions") or 0)


def _waiting(trial: Trial) -> float:
    return trial.launched.values().get("waiting", 0.0)


CASES: Final = (
    Case(
        number=10,
        name="learner frozen",
        passes="actors wait once they are ahead by the tolerance; the learner is killed and goes on within 60 s",
        strike=freeze_learner,
        release=5,
    ),
    Case(
        number=14,
        name="each part stopped and continued",
        passes="games, versions and the judge's games go on within 30 s after each",
        strike=freeze_each,
        release=5,
    ),
)
