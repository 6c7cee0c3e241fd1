"""Damaged files of weights and of training's state: cut off, or with flipped bits."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from gobang.errors import InvalidGame
from gobang.run_folder import RunFolder, best_weights, state_path, weights_path
from gobang.types import SelfPlayGame
from learner.replay.pool.codec import decode, encode
from tests.chaos.case import GOES_ON_SECONDS, PATIENCE, Case, hold, until
from tests.chaos.pool import GAME, send
from tests.chaos.stage import Stage
from tests.chaos.trial import Trial
from tests.integration.launched import ROOT
from tests.learner.replay.games import stored_games

PLACES: Final = 50
_PROCESS_SECONDS: Final = 300.0 * PATIENCE
ALARM: Final = "checkpoints damaged"  # on the progress line
_ASIDE: Final = "games put aside"


def truncate(stage: Stage, number: int) -> float:
    """At 50 places in copies of the folder, each taken up by a learner; at one of them the whole run resumes."""
    trial = stage.trial()
    trial.stop()
    newest = trial.version
    check_places(trial.folder, stage.place / "copies", newest)
    path = (weights_path, state_path)[number % 2](trial.folder, newest)
    cut(path, random.Random(number).randrange(path.stat().st_size))
    mark = trial.mark()
    trial.resume()
    trial.wait_until_it_learns()
    trial.learns_on(mark, 4 * GOES_ON_SECONDS)
    trial.told(mark, f"checkpoint {newest} cannot be used")
    return trial.goes_on()


def check_places(folder: RunFolder, copies: Path, newest: int) -> None:
    """RoundFailed unless a learner goes on from the version before, wherever the newest was cut off."""
    shutil.rmtree(copies, ignore_errors=True)
    command = [sys.executable, "-m", "tests.chaos.resumed_learner", str(folder.root), str(copies), str(PLACES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_PROCESS_SECONDS, check=False)
    hold(done.returncode == 0, f"the learner did not start: {done.stderr[-2000:]}")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    hold(len(found) == PLACES, f"{len(found)} of {PLACES} places were tried")
    for each in found:
        hold(each["version"] == newest + 1, f"{each}: not the version after {newest}")
        hold(each["from"] == newest - 1, f"{each}: did not go on from version {newest - 1}")
        hold(each["best_is_whole"], f"{each}: the best is not what it was")
        hold(each["warnings"] == 1, f"{each}: not one line in the log")


def cut(path: Path, size: int) -> None:
    """Leave so many bytes of a file."""
    path.write_bytes(path.read_bytes()[:size])


def flip(stage: Stage, number: int) -> float:
    """A bit of the newest weights or state, of the best's copy and of a stored game."""
    trial, dice = stage.trial(), random.Random(number)
    kind = (weights_path, state_path)[number % 2]
    game = flipped_game(dice, number)
    learner = trial.process("learner")
    learner.suspend()  # so that the newest stays the newest
    mark = trial.mark()
    for path in (kind(trial.folder, trial.version), best_weights(trial.folder)):
        path.write_bytes(flip_bit(path.read_bytes(), dice))
    learner.kill()
    seconds = trial.learns_on(mark)
    send(trial, f"flipped-{number}", 0, game)
    trial.told(mark, f"checkpoint {mark.version} cannot be used")
    for words in (ALARM, _ASIDE):
        until(lambda words=words: _is_shown(trial, words), GOES_ON_SECONDS, f"no line of the progress says {words!r}")
    hold(_best_is_whole(trial), "the best weights stay damaged")
    return seconds


def flipped_game(dice: random.Random, number: int) -> bytes:
    """A game with a bit flipped so that it is none any more."""
    (game,) = stored_games(GAME, 1, seed=number, actor=f"flipped-{number}")
    while True:
        blob = flip_bit(encode(game), dice)
        if not is_game(blob):
            return blob


def is_game(blob: bytes) -> bool:
    """Whether a blob is a game by the rules."""
    try:
        found: SelfPlayGame = decode(blob, GAME)
    except InvalidGame:
        return False
    return len(found) > 0


def flip_bit(content: bytes, dice: random.Random) -> bytes:
    """The content with one bit changed."""
    place, bit = dice.randrange(len(content)), dice.randrange(8)
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def _is_shown(trial: Trial, words: str) -> bool:
    trial.is_running()
    return words in trial.launched.output.splitlines()[-1]


def _best_is_whole(trial: Trial) -> bool:
    deadline = time.monotonic() + GOES_ON_SECONDS
    while time.monotonic() < deadline:  # the judge may be promoting
        best = weights_path(trial.folder, trial.folder.read_best())
        if best.exists() and best.read_bytes() == best_weights(trial.folder).read_bytes():
            return True
    return False


CASES: Final = (
    Case(
        number=6,
        name="newest checkpoint cut off at 50 places",
        passes="training goes on from the version before, under a higher number; the best is whole; one line",
        strike=truncate,
    ),
    Case(
        number=7,
        name="flipped bits in weights, state and a game",
        passes="training goes on within 30 s; the progress line says so",
        strike=flip,
    ),
)
