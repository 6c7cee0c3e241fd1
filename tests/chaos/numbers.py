"""Numbers that are not finite: in training, in a published version, in the answers of a server."""

from __future__ import annotations

import re
from typing import Final

from tests.chaos.case import GOES_ON_SECONDS, Case, hold, until
from tests.chaos.doubtful import INFERENCE, SPOILED, TRAINING, VERSION
from tests.chaos.stage import Stage
from tests.chaos.trial import Mark, Trial

_SIGNS: Final = {
    TRAINING: r"step \d+ left out",
    VERSION: r"gives answers that are not finite",
    INFERENCE: r"gives answers that are not finite",
}


def strike_numbers(stage: Stage, number: int) -> float:
    """Each of the three, one after the other."""
    trial, slowest = stage.trial(), 0.0
    for what, sign in _SIGNS.items():
        mark = trial.mark()
        (trial.place / what).touch()
        until(lambda sign=sign, mark=mark: sign_in(trial, mark, sign), GOES_ON_SECONDS, f"nobody notices {what}")
        slowest = max(slowest, trial.goes_on())
        hold("self-play begins anew" not in trial.log_since(mark), f"an actor failed after {what}")
        if what == TRAINING:
            until(lambda: trial.launched.values().get("faults", 0) >= 1, GOES_ON_SECONDS, "no step counts as left out")
        if what == VERSION:  # else the next strike takes the last sound version away, and only spoiled ones are left
            until(lambda mark=mark: is_sound_again(trial, mark), GOES_ON_SECONDS, "no sound version follows")
    return slowest


def sign_in(trial: Trial, mark: Mark, sign: str) -> bool:
    return trial.is_running() and re.search(sign, trial.log_since(mark)) is not None


def is_sound_again(trial: Trial, mark: Mark) -> bool:
    """Whether a version answers that comes after all that were spoiled."""
    log = trial.log_since(mark)
    refused = re.search(r"version (\d+) gives answers that are not finite", log)
    taken = re.findall(r"model latest: version (\d+)$", log, re.MULTILINE)
    return refused is not None and bool(taken) and int(taken[-1]) > int(refused[1]) + SPOILED


CASES: Final = (
    Case(
        number=8,
        name="NaN in training, in a version, in answers",
        passes="the step is left out, the version is put aside, the one before answers; all goes on within 30 s",
        strike=strike_numbers,
    ),
)
