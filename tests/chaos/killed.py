"""Parts that are killed: the run starts each again, and nobody has to wait for long."""

from __future__ import annotations

import fcntl
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil

from tests.chaos.arrivals import Arrivals
from tests.chaos.case import GOES_ON_SECONDS, SERVER_SECONDS, Case, RoundFailed, hold, until
from tests.chaos.history import lines_of
from tests.chaos.stage import Stage
from tests.chaos.trial import Mark, Trial

GONE: Final = r"(lost its process|died as process|is dead and is replaced)"
JUDGE_DEATHS: Final = 10  # in one match
LONG_MATCH: Final = 1000  # games; the judge of a tiny run plays some 40 a second
_JUST_BEGUN: Final = 200  # games
LOAD_SECONDS: Final = 60.0  # without Redis
_TRIES: Final = 40  # to catch a write


def kill_actor(stage: Stage, number: int) -> float:
    trial, actor = stage.trial(), number % 2
    mark = trial.kill(f"actor {actor}")
    seconds = trial.actor_plays_on(mark, actor)
    trial.told(mark, f"actor {actor} {GONE}")
    return seconds


def kill_server(stage: Stage, number: int) -> float:
    trial = stage.trial()
    mark = trial.kill("inference 0")
    trial.tells(mark, "listening at", SERVER_SECONDS)
    seconds = trial.plays_on(trial.mark(), SERVER_SECONDS) + time.monotonic() - mark.at
    hold(seconds <= SERVER_SECONDS, f"it took {seconds:.1f} s until games were stored again")
    trial.tells(mark, "inference 0 is back")
    trial.told(mark, f"inference 0 {GONE}")
    return seconds


def kill_learner(stage: Stage, number: int) -> float:
    """At any time, inside the write of a state and inside the write of weights, in turn."""
    trial = stage.trial()
    places = (None, trial.folder.state, trial.folder.weights)
    place = places[(number - 1) % len(places)]
    mark = trial.kill("learner") if place is None else kill_inside_a_write(trial, place)
    seconds = trial.learns_on(mark)
    trial.told(mark, f"learner {GONE}")
    left = [path for path in (*trial.folder.state.glob(".*"), *trial.folder.weights.glob(".*")) if _is_old(path)]
    hold(not left, f"half a file is left: {left}")
    return seconds


def kill_inside_a_write(trial: Trial, place: Path) -> Mark:
    """Stop the learner when a file appears there under its temporary name, and kill it if that is not done yet."""
    learner = trial.process("learner")
    with Arrivals(place) as arrivals:
        for _ in range(_TRIES):
            name = arrivals.next(lambda name: name.startswith("."), GOES_ON_SECONDS)
            learner.suspend()
            _wait_until_stopped(learner)
            if (place / name).exists():
                mark = trial.mark()
                learner.kill()
                return mark
            learner.resume()
    raise RoundFailed(f"no write was caught in {_TRIES} tries")


def kill_judge(stage: Stage, number: int) -> float:
    """Kill the judge ten times in one match, which then ends with the verdict that its games give.

    The next kill follows as soon as the new judge has written down a game, so that the match outlasts all ten.
    """
    trial = stage.trial(settings=(f"evaluator.gate.games={LONG_MATCH}",))
    slowest, first = 0.0, trial.mark()
    match = _match_just_begun(trial)
    for _ in range(JUDGE_DEATHS):
        mark = trial.kill("judge")
        slowest = max(slowest, trial.judges_on(mark))
        hold(not _has_ended(trial, match), f"match {match} ended before its judge was killed {JUDGE_DEATHS} times")
    trial.told(first, f"judge {GONE}", times=JUDGE_DEATHS)
    trial.tells(first, "judge is back")
    until(lambda: trial.is_running() and _has_ended(trial, match), 4 * GOES_ON_SECONDS, f"match {match} does not end")
    return slowest


def kill_redis(stage: Stage, number: int) -> float:
    """Killed and started again; every third time it cannot start for a minute, while the actors play on."""
    trial = stage.trial()
    mark = trial.mark()
    if number % 3 == 0:
        with _locked(trial.folder.redis / "server.lock", trial):
            until(lambda: time.monotonic() > mark.at + LOAD_SECONDS, LOAD_SECONDS + 1, "")
        mark = trial.mark()
    else:
        mark = trial.kill("redis")
    seconds = trial.plays_on(mark)
    trial.learns_on(mark)
    trial.told(mark, "redis-server was gone and is started again")
    return seconds


@contextmanager
def _locked(lock: Path, trial: Trial) -> Iterator[None]:
    """Kill the server and hold its lock, so that no other one starts."""
    with lock.open("r+b") as file:
        until(lambda: _kill_and_take(trial, file.fileno()), GOES_ON_SECONDS, "the lock of redis-server is not free")
        yield


def _kill_and_take(trial: Trial, descriptor: int) -> bool:
    """Be faster than whoever starts the next server; False if he was."""
    process = trial.process("redis")
    trial.kill("redis")
    process.wait(GOES_ON_SECONDS)
    return _take(descriptor)


def _take(descriptor: int) -> bool:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _wait_until_stopped(process: psutil.Process) -> None:
    """Until every thread of a process has stopped, so that what it was about to do is not done."""

    def is_stopped() -> bool:
        states = [Path(f"/proc/{process.pid}/task/{thread}/stat").read_text() for thread in _threads(process.pid)]
        return all(state.rpartition(")")[2].split()[0] in "tTD" for state in states)

    until(is_stopped, GOES_ON_SECONDS, "the learner does not stop")


def _threads(process: int) -> list[str]:
    return os.listdir(f"/proc/{process}/task")  # noqa: PTH208


def _is_old(path: Path) -> bool:
    """Whether a file is none that is just being written."""
    try:
        return time.time() - path.stat().st_mtime > GOES_ON_SECONDS
    except FileNotFoundError:
        return False


def _match_just_begun(trial: Trial) -> int:
    """Return the number of a match of the gate in which few games have been played."""

    def find() -> list[int]:
        trial.is_running()
        played = Counter(line["match"] for line in lines_of(trial.folder.games))
        begun = [line["begin"] for line in lines_of(trial.folder.matches) if "begin" in line]
        ended = {line["end"] for line in lines_of(trial.folder.matches) if "end" in line}
        gates = [each["number"] for each in begun if each["kind"] == "gate" and each["number"] not in ended]
        return [number for number in gates if 0 < played[number] < _JUST_BEGUN][-1:]

    return until(find, 4 * GOES_ON_SECONDS, "no match of the gate")[0]


def _has_ended(trial: Trial, match: int) -> bool:
    return any(line.get("end") == match for line in lines_of(trial.folder.matches))


CASES: Final = (
    Case(number=1, name="actor killed", passes="a new process of it stores a game within 30 s", strike=kill_actor),
    Case(number=2, name="server killed", passes="games are stored again within 10 s", strike=kill_server),
    Case(
        number=3,
        name="learner killed, also inside a write",
        passes="newer versions within 30 s, no half file is left",
        strike=kill_learner,
    ),
    Case(
        number=4,
        name="judge killed ten times in a match",
        passes="each time the next game within 30 s; the verdict is that of the games",
        strike=kill_judge,
        release=5,
    ),
    Case(
        number=5,
        name="redis-server killed, also for 60 s",
        passes="games are stored again within 30 s, newer versions come",
        strike=kill_redis,
        release=60,
    ),
)
